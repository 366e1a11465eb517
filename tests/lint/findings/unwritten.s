# Of 17 rows the last has not been written, and the output buffer not at all.
        .arg    y, out, s8[16, 16]
        larg    a0, args[y]
        li      t0, 16
        load.b  sp[t0], dram[a0], bytes=t0
        fill.b  sp[zero], rows=t0  post(store.0)
        li      t1, 18
        store.b dram[a0], sp[zero], bytes=t0, rows=t1, stride=zero  wait(load.0)
        halt
# expected:
#   unwritten.s:5:9: warning[W0904]: 'load.b' reads DRAM byte 0x0, which nothing has written
#       5 |         load.b  sp[t0], dram[a0], bytes=t0
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#     help: load or fill it first
#   unwritten.s:8:9: warning[W0904]: 'store.b' reads scratchpad row 17, which nothing has written
#       8 |         store.b dram[a0], sp[zero], bytes=t0, rows=t1, stride=zero  wait(load.0)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#     help: load or fill it first
#   2 warnings
