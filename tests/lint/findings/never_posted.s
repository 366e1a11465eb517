# load.0 has one post and two waits; run.0 has no post at all.
        li      t0, 16
        fill.b  sp[zero], rows=t0  post(array.0)
        preload sp[zero], rows=t0  wait(load.0)
        preload sp[zero], rows=t0  wait(load.0)
        sync.vector wait(run.0)
        halt
# expected:
#   never_posted.s:5:9: warning[W0905]: 'preload' waits for load.0, but the only post has been taken
#       5 |         preload sp[zero], rows=t0  wait(load.0)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#     help: post the token, or drop the wait
#   never_posted.s:3:9: note: the last post is made here
#       3 |         fill.b  sp[zero], rows=t0  post(array.0)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#   never_posted.s:6:9: warning[W0905]: 'sync.vector' waits for run.0, which nothing posts
#       6 |         sync.vector wait(run.0)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~
#     help: post the token, or drop the wait
#   2 warnings
