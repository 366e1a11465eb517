# The input buffer is overwritten.
        fill.b  sp[zero]                    post(store.0)
        li      t0, 4
        store.b dram[zero], sp[zero], bytes=t0  wait(load.0)
        halt

# expected:
#   store_to_input.s:4:9: checker fault: DRAM access outside a declared buffer, or a store to an input
#       store.b dram[zero], sp[zero], bytes=t0 wait(load.0)
#   at cycle 22, store unit: DRAM bytes 0x0..0x3: a buffer declared as input holds them
#     it writes 4 bytes, of which 4 are wrong: DRAM bytes 0x0..0x3
#     buffer input (an input): DRAM bytes 0x0..0xfff
#   likely fix: check address, bytes and strides
