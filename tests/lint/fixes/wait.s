# The post is there, the wait is not; then both are missing.
        .arg    x, in, s8[16, 16]
        .arg    y, out, s8[16, 16]
        .token  full = load -> store.0
        larg    a0, args[x]
        larg    a1, args[y]
        li      t0, 16
        load.b  sp[zero], dram[a0], bytes=t0, rows=t0, stride=t0  post(full)    # all of x
        store.b dram[a1], sp[zero], bytes=t0, rows=t0, stride=t0                # and back
        preload sp[zero], rows=t0
        halt
# expected:
#   --- wait.s
#   +++ wait.s
#   @@ -5,7 +5,7 @@
#            larg    a0, args[x]
#            larg    a1, args[y]
#            li      t0, 16
#   -        load.b  sp[zero], dram[a0], bytes=t0, rows=t0, stride=t0  post(full)    # all of x
#   -        store.b dram[a1], sp[zero], bytes=t0, rows=t0, stride=t0                # and back
#   -        preload sp[zero], rows=t0
#   +        load.b  sp[zero], dram[a0], bytes=t0, rows=t0, stride=t0  post(full, array.0)    # all of x
#   +        store.b dram[a1], sp[zero], bytes=t0, rows=t0, stride=t0 wait(full)                # and back
#   +        preload sp[zero], rows=t0 wait(load.0)
#            halt
