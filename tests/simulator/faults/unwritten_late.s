# The store doesn't wait for the load, which the load unit comes to only after a longer one.
.region other, sp[64], at=64
.region tile, sp[8], at=8
        li      t0, 4
        li      t1, 0x1000
        li      t2, other
        li      t3, tile
        li      t4, other.rows
        li      t5, tile.rows
        load.b  sp[t2], dram[zero], bytes=t0, rows=t4, stride=t0
        load.b  sp[t3], dram[zero], bytes=t0, rows=t5, stride=t0
        store.b dram[t1], sp[t3], bytes=t0, rows=t5, stride=t0
        halt

# expected:
#   unwritten_late.s:12:9: checker fault: read of what nothing wrote
#       store.b dram[t1], sp[t3], bytes=t0, rows=t5, stride=t0
#   at cycle 9, store unit: scratchpad row 8 (in tile) has not been written
#     nothing has written scratchpad rows 8..15 (in tile) (64 bytes)
#     scratchpad rows 8..15 (in tile): written only later, by unwritten_late.s:11:9 (load.b sp[t3], dram[zero], bytes=t0, rows=t5, stride=t0), issued at cycle 81, complete at cycle 108
#   likely fix: post(store.0) at unwritten_late.s:11:9, wait(load.0) at unwritten_late.s:12:9
