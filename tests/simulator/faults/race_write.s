# A load refills rows that the store is going to read: it should wait for the store, and only a later sync does.
        li      t0, 8
        li      t1, 0x1000
        load.b  sp[zero], dram[zero], bytes=t0, rows=t0, stride=t0  post(store.0)
        store.b dram[t1], sp[zero], bytes=t0, rows=t0, stride=t0    wait(load.0) post(load.0)
        load.b  sp[zero], dram[zero], bytes=t0, rows=t0, stride=t0
        sync.load                                                   wait(store.0)
        halt

# expected:
#   race_write.s:5:9: checker fault: two units access the same place in no order
#       store.b dram[t1], sp[zero], bytes=t0, rows=t0, stride=t0 wait(load.0) post(load.0)
#   at cycle 41, store unit: scratchpad row 0: unordered after race_write.s:6:9 (load.b sp[zero], dram[zero], bytes=t0, rows=t0, stride=t0), issued at cycle 21
#     both touch scratchpad rows 0..7 (64 bytes): this one reads in cycles 41 to 58, the other writes until cycle 48
#     this one gets what the other writes or what was there before, as timing has it
#     who wrote there before: race_write.s:4:9 (load.b sp[zero], dram[zero], bytes=t0, rows=t0, stride=t0 post(store.0)), complete at cycle 40
#   likely fix: post(load.1) at race_write.s:5:9, wait(store.1) at race_write.s:6:9
