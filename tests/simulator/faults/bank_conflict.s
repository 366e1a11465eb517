# Load and vector unit write the same bank at the same time.
        li      t0, 8
        li      t1, 256
        li      t3, 127
        fill.b  sp[zero], rows=t0
        fill.w  acc[zero], rows=t0
        fence
        requantise sp[t0], acc[zero], params=sp[zero], rows=t0, min=zero, max=t3
        fill.b  sp[t1], rows=t0
        halt

# expected:
#   bank_conflict.s:9:9: port fault: write port of a bank is held by another unit
#       fill.b sp[t1], rows=t0
#   at cycle 43, load unit: scratchpad bank 0 (rows 0..511) is held by the vector unit until cycle 63
#     held by bank_conflict.s:8:9 (requantise sp[t0], acc[zero], params=sp[zero], rows=t0, min=zero, max=t3), issued at cycle 42
#   likely fix: use different banks, or order the two by a token
