# Tokens are shown with their names too.
        .token  full = load -> array.0
        .token  free = run -> load.0
        fill.b  sp[zero]                    wait(free) post(full)
        sync.array                          wait(full) post(free)
        halt

# expected:
#   deadlock_named.s:6:9: deadlock after 3 cycles: nothing can go on
#     load waits for run.0 (token free, posted 0, taken 0): deadlock_named.s:4:9: fill.b sp[zero] wait(run.0) post(array.0) (1 queued)
#     array waits for load.0 (token full, posted 0, taken 0): deadlock_named.s:5:9: sync.array wait(load.0) post(load.0) (1 queued)
#     sequencer has halted
#   likely fix: post the token that the first unit waits for, before the sequencer or a queue blocks
