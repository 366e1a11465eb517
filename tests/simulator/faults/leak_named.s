# A channel is shown with the name that the source gives it.
        .token  full = load -> array.1
        fill.b  sp[zero]                    post(full)
        halt

# expected:
#   leak_named.s:4:9: checker fault: tokens left at halt
#       halt
#   at cycle 1, sequencer unit: tokens left: load->array.1 (full) 1
#     load->array.1 (full): 1 posted, 0 taken; left are those of leak_named.s:3:9 (fill.b sp[zero] post(array.1)), complete at cycle 21
#     no array instruction waits for load.1
#   likely fix: wait(load.1) in the array unit, or drop post(array.1) at leak_named.s:3:9
