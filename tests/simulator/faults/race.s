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
#     both touch scratchpad rows 0..7 (64 bytes): this one reads in cycles 43 to 50, the other writes until cycle 69
#     this one gets what the other writes or what was there before, as timing has it
#     who wrote there before: race.s:3:9 (load.b sp[zero], dram[zero], bytes=t0, rows=t0, stride=t0), complete at cycle 39
#   likely fix: post(array.0) at race.s:5:9, wait(load.0) at race.s:6:9
