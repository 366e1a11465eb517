# Two of three credits come back; the token for the store is never taken.
        .token  credit = run -> load.0
        sync.array post(credit)
        sync.array post(credit)
        sync.array post(credit, store.0)
        sync.load wait(credit)
        sync.load wait(credit)
        halt
# expected:
#   never_waited.s:5:9: warning[W0906]: 'sync.array' posts load.0, but of 3 posts only 2 are waited for
#       5 |         sync.array post(credit, store.0)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#     help: wait for it (a sync before halt takes credits back), or drop the post
#   never_waited.s:7:9: note: the last wait takes an earlier post
#       7 |         sync.load wait(credit)
#         |         ^~~~~~~~~~~~~~~~~~~~~~
#   never_waited.s:5:9: warning[W0906]: 'sync.array' posts store.0, and nothing waits for it
#       5 |         sync.array post(credit, store.0)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#     help: wait for it (a sync before halt takes credits back), or drop the post
#   2 warnings
