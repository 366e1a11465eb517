# The post stands behind a fence that waits for the wait.
        sync.load wait(store.0)
        fence
        sync.store post(load.0)
        halt
# expected:
#   deadlock_fence.s:2:9: warning[W0907]: 'sync.load' waits for store.0 for ever
#       2 |         sync.load wait(store.0)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~
#     help: move the post before the wait in program order
#   deadlock_fence.s:4:9: note: store.0 is posted here, and the sequencer does not get there
#       4 |         sync.store post(load.0)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~
#   deadlock_fence.s:4:9: note: a fence waits for all units before this
#       4 |         sync.store post(load.0)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~
#   1 warning
