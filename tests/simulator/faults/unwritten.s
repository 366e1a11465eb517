# Row 5 is stored, but only rows 0 to 3 were loaded.
        li      t0, 4
        li      t1, 0x1000
        load.b  sp[zero], dram[zero], bytes=t0, rows=t0, stride=t0  post(store.0)
        li      t2, 8
        store.b dram[t1], sp[zero], bytes=t0, rows=t2, stride=t0    wait(load.0)
        halt

# expected:
#   unwritten.s:6:9: checker fault: read of what nothing wrote
#       store.b dram[t1], sp[zero], bytes=t0, rows=t2, stride=t0 wait(load.0)
#   at cycle 37, store unit: scratchpad row 4 has not been written
#     of scratchpad rows 0..7, which it reads, nothing has written scratchpad rows 4..7 (32 bytes)
#     scratchpad rows 0..3: written by unwritten.s:4:9 (load.b sp[zero], dram[zero], bytes=t0, rows=t0, stride=t0 post(store.0)), complete at cycle 36
#   likely fix: load or fill it first
