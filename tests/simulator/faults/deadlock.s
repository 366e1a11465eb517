# Each waits for the other.
        fill.b  sp[zero]                    wait(run.0) post(array.0)
        sync.array                          wait(load.0) post(load.0)
        halt

# expected:
#   deadlock.s:4:9: deadlock after 3 cycles: nothing can go on
#     load waits for run.0 (posted 0, taken 0): deadlock.s:2:9: fill.b sp[zero] wait(run.0) post(array.0) (1 queued)
#     array waits for load.0 (posted 0, taken 0): deadlock.s:3:9: sync.array wait(load.0) post(load.0) (1 queued)
#     sequencer has halted
#   likely fix: post the token that the first unit waits for, before the sequencer or a queue blocks
