# The last instruction is no halt, and a branch goes too far.
        beqz    ra, .+9
        sync.load
# expected:
#   runs_out.s:2:9: warning[W0802]: ra is read, but nothing has written it
#       2 |         beqz    ra, .+9
#         |         ^~~~~~~~~~~~~~~
#     help: write it first, or name x0 if 0 is meant
#   runs_out.s:2:9: warning[W0804]: 'beq' leads to instruction 9 of a program of 2
#       2 |         beqz    ra, .+9
#         |         ^~~~~~~~~~~~~~~
#     help: end every path with halt
#   runs_out.s:3:9: warning[W0804]: 'sync.load' is the last instruction and does not end the program
#       3 |         sync.load
#         |         ^~~~~~~~~
#     help: end every path with halt
#   runs_out.s:3:9: warning[W0911]: the sequencer stops the case: fetch: instruction 9 of a program of 2
#       3 |         sync.load
#         |         ^~~~~~~~~
#     help: correct the operands, or the case
#   runs_out: not covered: no case dispatches 1 tensor instruction: runs_out.s:3
#   4 warnings
