# The fill is known to be complete by `full`; `extra` orders nothing else.
        .token  full  = load -> array.0
        .token  extra = load -> array.1
        li      t0, 16
        fill.b  sp[zero], rows=t0  post(full, extra)
        preload sp[zero], rows=t0  wait(full)
        preload sp[zero], rows=t0  wait(extra)
        halt
# expected:
#   --- drop.s
#   +++ drop.s
#   @@ -1,8 +1,7 @@
#    # The fill is known to be complete by `full`; `extra` orders nothing else.
#            .token  full  = load -> array.0
#   -        .token  extra = load -> array.1
#            li      t0, 16
#   -        fill.b  sp[zero], rows=t0  post(full, extra)
#   +        fill.b  sp[zero], rows=t0  post(full)
#            preload sp[zero], rows=t0  wait(full)
#   -        preload sp[zero], rows=t0  wait(extra)
#   +        preload sp[zero], rows=t0
#            halt
