        .equ    USED, 1
        .equ    UNUSED, USED
        .equ    SHARED, 2
        .global SHARED
        .token  full = load -> array
        .token  empty = run -> load
        .region x, sp[16]
        .region y, sp[16]
        .macro  one
        .endm
        .macro  two
        .endm
        one
        .ifdef  SEEN
        .endif
        li      t0, y.rows + x[1]
        preload sp[t0]                  wait(full)
;| unused.s:2:17: warning[W0101]: constant 'UNUSED' is never used
;|     2 |         .equ    UNUSED, USED
;|       |                 ^~~~~~
;| unused.s:8:17: warning[W0101]: region 'y' is never used
;|     8 |         .region y, sp[16]
;|       |                 ^
;| unused.s:11:17: warning[W0101]: macro 'two' is never used
;|    11 |         .macro  two
;|       |                 ^~~
;| 3 warnings
