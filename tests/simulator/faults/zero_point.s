# 200 is a zero point of u8, not of s8.
        li      t0, 200
        fill.b  sp[zero]                    post(array.0)
        preload sp[zero], zp=t0 u8          wait(load.0)
        preload sp[zero], zp=t0
        halt

# expected:
#   zero_point.s:5:9: dispatch fault: zero point, fill byte or clamp bound outside its range
#       preload sp[zero], zp=t0
#   at cycle 3, sequencer unit: zp = 200, the limit is 127
#   likely fix: match the value to s8 or u8
