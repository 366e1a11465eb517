# The bounds are swapped.
        li      t0, 127
        li      t1, -128
        requantise sp[zero], acc[zero], params=sp[zero], min=t0, max=t1
        halt

# expected:
#   clamp.s:4:9: dispatch fault: zero point, fill byte or clamp bound outside its range
#       requantise sp[zero], acc[zero], params=sp[zero], min=t0, max=t1
#   at cycle 2, sequencer unit: min = 127 is above max = -128
#   likely fix: match the value to s8 or u8
