# Half of the rows are read, so the first load is alive; the second is not.
        li      t0, 16
        li      t1, 8
        fill.b  sp[zero], rows=t0  post(array.0)
        preload sp[zero], rows=t1  wait(load.0)
        fill.b  sp[t0], rows=t0
        halt
# expected:
#   dead_load.s:6:9: warning[W0909]: nothing reads what 'fill.b' writes
#       6 |         fill.b  sp[t0], rows=t0
#         |         ^~~~~~~~~~~~~~~~~~~~~~~
#     help: drop it; if a later launch reads it, allow the finding with that reason
#   1 warning
