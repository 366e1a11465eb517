# The array may read before the load has written; the load of words may overwrite what the array still writes.
        .arg    x, in, s8[64, 16]
        larg    a0, args[x]
        li      t0, 16
        load.b  sp[zero], dram[a0], bytes=t0, rows=t0, stride=t0
        preload sp[zero], rows=t0
        run     acc[zero], sp[zero], rows=t0
        load.w  acc[zero], dram[a0], bytes=t0, rows=t0  post(store.0)
        sync.store wait(load.0)
        halt
# expected:
#   missing_wait.s:6:9: warning[W0901]: 'preload' may read scratchpad row 0 before 'load.b' has written it
#       6 |         preload sp[zero], rows=t0
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~
#     help: post(array.0) there and wait(load.0) here: a channel that is still unused
#   missing_wait.s:5:9: note: written here, by the load unit; nothing orders the two
#       5 |         load.b  sp[zero], dram[a0], bytes=t0, rows=t0, stride=t0
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#   missing_wait.s:7:9: warning[W0901]: 'run' may read scratchpad row 0 before 'load.b' has written it
#       7 |         run     acc[zero], sp[zero], rows=t0
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#     help: post(array.0) there and wait(load.0) here: a channel that is still unused
#   missing_wait.s:5:9: note: written here, by the load unit; nothing orders the two
#       5 |         load.b  sp[zero], dram[a0], bytes=t0, rows=t0, stride=t0
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#   missing_wait.s:7:9: warning[W0909]: nothing reads what 'run' writes
#       7 |         run     acc[zero], sp[zero], rows=t0
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#     help: drop it; if a later launch reads it, allow the finding with that reason
#   missing_wait.s:8:9: warning[W0901]: 'load.w' may overwrite accumulator row 0 before 'run' has written it
#       8 |         load.w  acc[zero], dram[a0], bytes=t0, rows=t0  post(store.0)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#     help: post(load.0) there and wait(run.0) here: a channel that is still unused
#   missing_wait.s:7:9: note: written here, by the array unit; nothing orders the two
#       7 |         run     acc[zero], sp[zero], rows=t0
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#   missing_wait.s:8:9: warning[W0909]: nothing reads what 'load.w' writes
#       8 |         load.w  acc[zero], dram[a0], bytes=t0, rows=t0  post(store.0)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#     help: drop it; if a later launch reads it, allow the finding with that reason
#   5 warnings
