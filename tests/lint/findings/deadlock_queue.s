# Nine stores: the queue of eight is full before the post comes.
        li      t0, 9
        sync.store wait(load.0)
more:   sync.store
        addi    t0, t0, -1
        bnez    t0, more
        sync.load post(store.0)
        halt
# expected:
#   deadlock_queue.s:3:9: warning[W0907]: 'sync.store' waits for load.0 for ever
#       3 |         sync.store wait(load.0)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~
#     help: move the post before the wait in program order
#   deadlock_queue.s:7:9: note: load.0 is posted here, and the sequencer does not get there
#       7 |         sync.load post(store.0)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~
#   deadlock_queue.s:4:9: note: the sequencer waits here: the queue is full
#       4 | more:   sync.store
#         |         ^~~~~~~~~~
#   1 warning
