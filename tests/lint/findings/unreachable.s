# Code behind a halt and a jump: no path leads there. A jump to a register that holds return addresses alone leads back only.
        call    work
        halt
        li      t0, 1
        li      t1, 2
work:   ret
        nop
# expected:
#   unreachable.s:4:9: warning[W0801]: nothing leads to these 2 instructions
#       4 |         li      t0, 1
#         |         ^~~~~~~~~~~~~
#     help: delete it, or branch to it
#   unreachable.s:7:9: warning[W0801]: nothing leads to this instruction
#       7 |         nop
#         |         ^~~
#     help: delete it, or branch to it
#   2 warnings
