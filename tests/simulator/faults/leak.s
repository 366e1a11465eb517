# A token that nobody takes.
        fill.b  sp[zero]                    post(array.1, store.0)
        sync.store                          wait(load.0)
        halt

# expected:
#   leak.s:4:9: checker fault: tokens left at halt
#       halt
#   at cycle 2, sequencer unit: tokens left: load->array.1 1
#   likely fix: wait for every token that is posted
