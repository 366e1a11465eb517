# One row too many of y; a store to an input.
        .arg    x, in, s8[16, 16]
        .arg    y, out, s8[15, 16]
        larg    a0, args[x]
        larg    a1, args[y]
        li      t0, 16
        load.b  sp[zero], dram[a0], bytes=t0, rows=t0, stride=t0  post(store.0)
        store.b dram[a1], sp[zero], bytes=t0, rows=t0, stride=t0  wait(load.0)
        store.b dram[a0], sp[zero], bytes=t0
        halt
# expected:
#   outside.s:8:9: warning[W0910]: 'store.b' leaves the buffers: bytes 0x1f0..0x1ff lie in no declared buffer
#       8 |         store.b dram[a1], sp[zero], bytes=t0, rows=t0, stride=t0  wait(load.0)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#     help: check address, bytes and strides
#   outside.s:9:9: warning[W0910]: 'store.b' leaves the buffers: bytes 0x0..0xf belong to the input 'x'
#       9 |         store.b dram[a0], sp[zero], bytes=t0
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#     help: check address, bytes and strides
#   2 warnings
