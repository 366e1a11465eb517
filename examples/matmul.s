# c[M, N] = a[M, K] @ b[K, N], int8 to int32, for one tile: K and N at most the array's rows and columns, M any count that
# fits the scratchpad and accumulator. The smallest program that uses load, array and store.

        .arg    M, value
        .arg    K, value
        .arg    N, value
        .arg    a, in,  s8[M, K]
        .arg    b, in,  s8[K, N]
        .arg    c, out, s32[M, N]

        .equ    A, 0                    # scratchpad rows of a
        .equ    B, 1024                 # and of b
        .token  loaded = load -> array.0
        .token  done   = run -> store.0

        larg    a0, args[a]
        larg    a1, args[b]
        larg    a2, args[c]
        larg    t0, args[M]
        larg    t1, args[K]
        larg    t2, args[N]

        li      t3, B
        load.b  sp[t3], dram[a1], bytes=t2, rows=t1, stride=t2
        load.b  sp[zero], dram[a0], bytes=t1, rows=t0, stride=t1            post(loaded)
        preload sp[t3], rows=t1, columns=t2                                 wait(loaded)
        run     acc[zero], sp[zero], rows=t0                                post(done)
        slli    t4, t2, 2               # bytes of a row of c
        store.w dram[a2], acc[zero], bytes=t4, rows=t0, stride=t4           wait(done)
        halt

        .case   small, machine=edge-16, M=50, K=7, N=5      # what the lint looks at
