# Past the end of DRAM.
        li      t0, 0x3fffffff
        li      t1, 2
        load.b  sp[zero], dram[t0], bytes=t1
        halt

# expected:
#   dram_range.s:4:9: dispatch fault: walk outside DRAM
#       load.b sp[zero], dram[t0], bytes=t1
#   at cycle 2, sequencer unit: the walk of dram reaches byte 1073741824; bytes are 0..1073741823
#   likely fix: check address, counts and strides
