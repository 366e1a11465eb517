# t1 is written nowhere; t2 is, but only behind its use.
        .data
x:      .space  64
        .text
        larg    a0, args[data]
        addi    a1, a0, x
        add     t0, t1, t2
        li      t2, 16
        load.b  sp[t0], dram[a1], bytes=t2  post(array.0)
        preload sp[t0], rows=t3  wait(load.0)
        halt
# expected:
#   register_unwritten.s:7:9: warning[W0802]: t1 is read, but nothing has written it
#       7 |         add     t0, t1, t2
#         |         ^~~~~~~~~~~~~~~~~~
#     help: write it first, or name x0 if 0 is meant
#   register_unwritten.s:7:9: warning[W0802]: t2 is read, but nothing has written it
#       7 |         add     t0, t1, t2
#         |         ^~~~~~~~~~~~~~~~~~
#     help: write it first, or name x0 if 0 is meant
#   register_unwritten.s:10:9: warning[W0802]: t3 is read, but nothing has written it
#      10 |         preload sp[t0], rows=t3  wait(load.0)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#     help: write it first, or name x0 if 0 is meant
#   register_unwritten.s:10:9: warning[W0911]: 'preload' stops the case: count: rows = 0, expected 1..65535
#      10 |         preload sp[t0], rows=t3  wait(load.0)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#     help: correct the operands, or the case
#   4 warnings
