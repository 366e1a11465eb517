# Load and array each wait for what the other posts only afterwards.
        sync.load wait(run.0) post(array.0)
        sync.array wait(load.0) post(load.0)
        halt
# expected:
#   deadlock.s:2:9: warning[W0907]: 'sync.load' waits for run.0 for ever
#       2 |         sync.load wait(run.0) post(array.0)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#     help: move the post before the wait in program order
#   deadlock.s:3:9: note: run.0 is posted here, behind what waits in its queue
#       3 |         sync.array wait(load.0) post(load.0)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#   deadlock.s:3:9: note: the array unit waits for load.0 here
#       3 |         sync.array wait(load.0) post(load.0)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#   deadlock.s:2:9: note: load.0 is posted here, behind what waits in its queue
#       2 |         sync.load wait(run.0) post(array.0)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#   1 warning
