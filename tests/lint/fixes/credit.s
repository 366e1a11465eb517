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
#   --- credit.s
#   +++ credit.s
#   @@ -1,14 +1,16 @@
#    # Two rounds through one buffer: the second load may overwrite what the first round's preload and run still read.
#            .arg    x, in, s8[32, 16]
#            .token  full = load -> array.0
#   +        sync.array post(load.0)
#            larg    a0, args[x]
#            li      t0, 16
#            li      t1, 2
#            li      t2, 256
#   -next:   load.b  sp[zero], dram[a0], bytes=t0, rows=t0, stride=t0  post(full)
#   +next:   load.b  sp[zero], dram[a0], bytes=t0, rows=t0, stride=t0  wait(run.0) post(full)
#            preload sp[zero], rows=t0  wait(full)
#   -        run     acc[zero], sp[zero], rows=t0
#   +        run     acc[zero], sp[zero], rows=t0 post(load.0)
#            add     a0, a0, t2
#            addi    t1, t1, -1
#            bnez    t1, next
#   +        sync.load wait(run.0)
#            halt
