# tiny-8 has 8 array rows.
        li      t0, 9
        preload sp[zero], rows=t0
        halt

# expected:
#   shape.s:3:9: dispatch fault: more rows or columns than the array has, or more taps than the weight registers
#       preload sp[zero], rows=t0
#   at cycle 1, sequencer unit: rows = 9, the limit is 8
#   likely fix: split the tile or the window
