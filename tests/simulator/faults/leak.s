# A token that nobody takes.
        fill.b  sp[zero]                    post(array.1, store.0)
        sync.store                          wait(load.0)
        halt

# expected:
#   leak.s:4:9: checker fault: tokens left at halt
#       halt
#   at cycle 2, sequencer unit: tokens left: load->array.1 1
#     load->array.1: 1 posted, 0 taken; left are those of leak.s:2:9 (fill.b sp[zero] post(store.0, array.1)), complete at cycle 21
#     no array instruction waits for load.1
#   likely fix: wait(load.1) in the array unit, or drop post(array.1) at leak.s:2:9
