# Load, then store, with a credit: nothing to say.
        .arg    rounds, value
        .arg    x, in, s8[16, 16]
        .arg    y, out, s8[rounds, 256]
        .case   three, machine=edge-16, rounds=3
        .token  full = load -> store.0
        .token  free = store -> load.0
        larg    a0, args[x]
        larg    a1, args[y]
        larg    t1, args[rounds]
        li      t0, 16
        li      t2, 256
        sync.store post(free)
next:   load.b  sp[zero], dram[a0], bytes=t0, rows=t0, stride=t0  wait(free) post(full)
        store.b dram[a1], sp[zero], bytes=t0, rows=t0, stride=t0  wait(full) post(free)
        add     a1, a1, t2
        addi    t1, t1, -1
        bnez    t1, next
        sync.load wait(free)
        halt
# expected:
