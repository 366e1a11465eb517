        .rept   1002
        frob
        .endr
;| many_in_macros.s:1:9: error[E0703]: more than 1000 errors in macros and repetitions
;|     1 |         .rept   1002
;|       |         ^~~~~~~~~~~~
;| many_in_macros.s:2:9: error[E0107]: unknown instruction 'frob'
;|     2 |         frob
;|       |         ^~~~
;| many_in_macros.s:1:9: note: in repetition 1 of 1002 of this .rept
;|     1 |         .rept   1002
;|       |         ^~~~~~~~~~~~
;|   the same in 1000 expansions more
;| 1002 errors
