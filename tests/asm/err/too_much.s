        .macro  double, text
        double  \text\text
        .endm
        .rept   1000
        .rept   100
        halt
        .endr
        .endr
        frob                            # what comes after is not read
;| too_much.s:5:9: error[E0703]: macros, repetitions and includes make more than 16384 lines
;|     5 |         .rept   100
;|       |         ^~~~~~~~~~~
;| too_much.s:4:9: note: in repetition 160 of 1000 of this .rept
;|     4 |         .rept   1000
;|       |         ^~~~~~~~~~~~
;| 1 error
