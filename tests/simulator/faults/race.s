# The array reads rows that a load is still writing: the wait on the load is missing.
        li      t0, 8
        load.b  sp[zero], dram[zero], bytes=t0, rows=t0, stride=t0
        fence
        load.b  sp[zero], dram[zero], bytes=t0, rows=t0, stride=t0
        preload sp[zero], rows=t0, columns=t0
        halt

# expected:
#   race.s:6:9: checker fault: two units access the same place in no order
#       preload sp[zero], rows=t0, columns=t0
#   at cycle 43, array unit: scratchpad row 0: unordered after race.s:5:9 (load.b sp[zero], dram[zero], bytes=t0, rows=t0, stride=t0), issued at cycle 42
#   likely fix: post a token from the first, wait for it in the second
