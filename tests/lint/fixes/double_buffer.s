# Two halves in turn: the channel has to be primed twice, so that both are in use at the same time.
        .arg    x, in, s8[96, 16]
        .arg    y, out, s8[96, 16]
        .token  full = load -> store.0
        larg    a0, args[x]
        larg    a1, args[y]
        li      t0, 16
        li      t1, 6
        li      t2, 256
        li      s0, 0
        li      s1, 2048                # a bank of edge-16
        xor     t3, s0, s1
next:   load.b  sp[s0], dram[a0], bytes=t0, rows=t0, stride=t0  post(full)
        store.b dram[a1], sp[s0], bytes=t0, rows=t0, stride=t0  wait(full)
        add     a0, a0, t2
        add     a1, a1, t2
        xor     s0, s0, t3
        addi    t1, t1, -1
        bnez    t1, next
        halt
# expected:
#   --- double_buffer.s
#   +++ double_buffer.s
#   @@ -2,6 +2,8 @@
#            .arg    x, in, s8[96, 16]
#            .arg    y, out, s8[96, 16]
#            .token  full = load -> store.0
#   +        sync.store post(load.0)
#   +        sync.store post(load.0)
#            larg    a0, args[x]
#            larg    a1, args[y]
#            li      t0, 16
#   @@ -10,11 +12,13 @@
#            li      s0, 0
#            li      s1, 2048                # a bank of edge-16
#            xor     t3, s0, s1
#   -next:   load.b  sp[s0], dram[a0], bytes=t0, rows=t0, stride=t0  post(full)
#   -        store.b dram[a1], sp[s0], bytes=t0, rows=t0, stride=t0  wait(full)
#   +next:   load.b  sp[s0], dram[a0], bytes=t0, rows=t0, stride=t0  wait(store.0) post(full)
#   +        store.b dram[a1], sp[s0], bytes=t0, rows=t0, stride=t0  wait(full) post(load.0)
#            add     a0, a0, t2
#            add     a1, a1, t2
#            xor     s0, s0, t3
#            addi    t1, t1, -1
#            bnez    t1, next
#   +        sync.load wait(store.0)
#   +        sync.load wait(store.0)
#            halt
