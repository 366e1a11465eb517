        .case   one, machine=tiny-8
        .rept   4097
        nop
        .endr
;| large.s:1:30: error[E0605]: the program has 4097 instructions, tiny-8 has memory for 4096
;|     1 |         .case   one, machine=tiny-8
;|       |                              ^~~~~~
;| 1 error
