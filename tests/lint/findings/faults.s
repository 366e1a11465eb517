# The second case asks for an empty load.
        .arg    rows, value
        .arg    x, in, s8[*]
        .case   some, machine=tiny-8, rows=5
        .case   none, machine=tiny-8, rows=0
        larg    a0, args[x]
        larg    t0, args[rows]
        li      t1, 8
        load.b  sp[zero], dram[a0], bytes=t1, rows=t0, stride=t1  post(array.0)
        preload sp[zero], rows=t0  wait(load.0)
        halt
# expected:
#   faults.s:9:9: warning[W0911]: 'load.b' stops the case: count: rows = 0, expected 1..65535
#       9 |         load.b  sp[zero], dram[a0], bytes=t1, rows=t0, stride=t1  post(array.0)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#     help: correct the operands, or the case
#     help: seen in case none
#   1 warning
