# A result is read back from DRAM, one row more than was stored there.
.region partial, sp[3]
        li      t0, 4
        li      t1, 0x1000
        li      t2, 2
        li      t3, 3
        fill.b  sp[zero], rows=t2                                   post(store.0)
        store.b dram[t1], sp[zero], bytes=t0, rows=t2, stride=t0    wait(load.0) post(load.0)
        load.b  sp[zero], dram[t1], bytes=t0, rows=t3, stride=t0    wait(store.0)
        halt

# expected:
#   unwritten_dram.s:9:9: checker fault: read of what nothing wrote
#       load.b sp[zero], dram[t1], bytes=t0, rows=t3, stride=t0 wait(store.0)
#   at cycle 49, load unit: DRAM byte 0x1008 has not been written
#     of DRAM bytes 0x1000..0x100b, which it reads, nothing has written DRAM bytes 0x1008..0x100b (4 bytes)
#     DRAM bytes 0x1000..0x1007: written by unwritten_dram.s:8:9 (store.b dram[t1], sp[zero], bytes=t0, rows=t2, stride=t0 wait(load.0) post(load.0)), complete at cycle 48
#   likely fix: load or fill it first
