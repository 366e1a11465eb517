        .arg    n, value
        larg    t0, args[n]
        fill.b  sp[zero], rows=t0
        halt
# expected:
#   no_case: not covered: no .case is declared: waits, posts and accesses are not checked
