        .euq    N, 16
        .section .text
        li      t0, N                           # no further error: .euq would have defined it
;| unknown_directive.s:1:9: error[E0106]: unknown directive '.euq'
;|     1 |         .euq    N, 16
;|       |         ^~~~
;|   help: did you mean '.equ'?
;| unknown_directive.s:2:9: error[E0106]: unknown directive '.section'
;|     2 |         .section .text
;|       |         ^~~~~~~~
;|   help: here that is .text or .data
;| 2 errors
