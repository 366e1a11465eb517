# Two rounds through one buffer: the second load may overwrite what the first round's preload and run still read.
        .arg    x, in, s8[32, 16]
        .token  full = load -> array.0
        larg    a0, args[x]
        li      t0, 16
        li      t1, 2
        li      t2, 256
next:   load.b  sp[zero], dram[a0], bytes=t0, rows=t0, stride=t0  post(full)
        preload sp[zero], rows=t0  wait(full)
        run     acc[zero], sp[zero], rows=t0
        add     a0, a0, t2
        addi    t1, t1, -1
        bnez    t1, next
        halt
# expected:
#   missing_credit.s:8:9: warning[W0902]: 'load.b' may overwrite scratchpad row 0 while 'preload' still reads it
#       8 | next:   load.b  sp[zero], dram[a0], bytes=t0, rows=t0, stride=t0  post(full)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#     help: post(load.0) in the run that follows it and wait(run.0) here: a channel that is still unused; prime the channel with a sync per half, drain it before halt
#   missing_credit.s:9:9: note: read here, by the array unit; nothing orders the two
#       9 |         preload sp[zero], rows=t0  wait(full)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#   missing_credit.s:8:9: warning[W0902]: 'load.b' may overwrite scratchpad row 0 while 'run' still reads it
#       8 | next:   load.b  sp[zero], dram[a0], bytes=t0, rows=t0, stride=t0  post(full)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#     help: post(load.0) there and wait(run.0) here: a channel that is still unused; prime the channel with a sync per half, drain it before halt
#   missing_credit.s:10:9: note: read here, by the array unit; nothing orders the two
#      10 |         run     acc[zero], sp[zero], rows=t0
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#   missing_credit.s:10:9: warning[W0909]: nothing reads what 'run' writes
#      10 |         run     acc[zero], sp[zero], rows=t0
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#     help: drop it; if a later launch reads it, allow the finding with that reason
#   3 warnings
