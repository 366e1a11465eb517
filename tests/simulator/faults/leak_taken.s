# Three tokens, of which two are taken.
        li      s0, 3
loop:   sync.load                   post(store.0)
        addi    s0, s0, -1
        bnez    s0, loop
        sync.store                  wait(load.0)
        sync.store                  wait(load.0)
        halt

# expected:
#   leak_taken.s:8:9: checker fault: tokens left at halt
#       halt
#   at cycle 14, sequencer unit: tokens left: load->store.0 1
#     load->store.0: 3 posted, 2 taken; left are those of leak_taken.s:3:9 (sync.load post(store.0)), complete at cycle 10
#     the last to wait for it is leak_taken.s:7:9 (sync.store wait(load.0)), issued at cycle 14
#   likely fix: wait(load.0) in the store unit, or drop post(store.0) at leak_taken.s:3:9
