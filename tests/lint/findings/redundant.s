# The fill is known to be complete by `full`; `extra` orders nothing else.
        .token  full  = load -> array.0
        .token  extra = load -> array.1
        li      t0, 16
        fill.b  sp[zero], rows=t0  post(full, extra)
        preload sp[zero], rows=t0  wait(full)
        preload sp[zero], rows=t0  wait(extra)
        halt
# expected:
#   redundant.s:7:9: warning[W0908]: this wait for load.1 orders nothing that is not ordered without it
#       7 |         preload sp[zero], rows=t0  wait(extra)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#     help: drop them, or declare a case that needs them
#   redundant.s:5:9: note: posted here: array.1
#       5 |         fill.b  sp[zero], rows=t0  post(full, extra)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#   1 warning
