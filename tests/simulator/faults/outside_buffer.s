# The last of three rows runs past the end of its buffer into the next one.
        li      t0, 64
        li      t1, 4096 - 160
        li      t2, 3
        load.b  sp[zero], dram[t1], bytes=t0, rows=t2, stride=t0
        halt

# expected:
#   outside_buffer.s:5:9: checker fault: DRAM access outside a declared buffer, or a store to an input
#       load.b sp[zero], dram[t1], bytes=t0, rows=t2, stride=t0
#   at cycle 4, load unit: DRAM bytes 0xfe0..0x101f: no declared buffer holds them
#     it reads 192 bytes, of which 64 are a row across two buffers: DRAM bytes 0xfe0..0x101f
#     buffer input (an input): DRAM bytes 0x0..0xfff
#     buffer output: DRAM bytes 0x1000..0x1fff
#   likely fix: check address, bytes and strides
