# 32-bit words lie on multiples of 4.
        li      t0, 4
        li      t1, 2
        load.w  acc[zero], dram[t1], bytes=t0
        halt

# expected:
#   misaligned.s:4:9: dispatch fault: 32-bit data not on a multiple of 4 bytes
#       load.w acc[zero], dram[t1], bytes=t0
#   at cycle 2, sequencer unit: dram = 2 is no multiple of 4
#   likely fix: align address, bytes and strides to 4
