# The fence waits for the store, the store for a load that comes after the fence.
        sync.store                          wait(load.0)
        fence
        sync.load                           post(store.0)
        halt

# expected:
#   fence_deadlock.s:3:9: deadlock after 1 cycles: nothing can go on
#     store waits for load.0 (posted 0, taken 0): fence_deadlock.s:2:9: sync.store wait(load.0) (1 queued)
#     sequencer waits for every unit to be idle: fence_deadlock.s:3:9: fence
#   likely fix: post the token that the first unit waits for, before the sequencer or a queue blocks
