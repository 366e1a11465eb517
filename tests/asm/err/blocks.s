        .if     LATER
        frob                            # no further error: neither branch is read
        .else
        frob
        .endif
        .equ    LATER, 1
        .if     1
        .else
        .else
        .elif   1
        .endif
        .endif
        .elif   1
        .else
        .rept   -1
        .endr
        .rept   1 << 20
        .endr
        .rept   2, i
        li      t\i, 1 / \i
        .endr
        .rept   2
        .if     0
        .endr
        .endr
        .ifdef  LATER
        .macro  endless
        .if     1
;| blocks.s:1:17: error[E0305]: 'LATER' is not defined above this line
;|     1 |         .if     LATER
;|       |                 ^~~~~
;|   help: its value is needed at once: move the definition up
;| blocks.s:9:9: error[E0109]: '.else' after '.else'
;|     9 |         .else
;|       |         ^~~~~
;| blocks.s:10:9: error[E0109]: '.elif' after '.else'
;|    10 |         .elif   1
;|       |         ^~~~~~~~~
;| blocks.s:12:9: error[E0109]: '.endif' without '.if'
;|    12 |         .endif
;|       |         ^~~~~~
;| blocks.s:13:9: error[E0109]: '.elif' without '.if'
;|    13 |         .elif   1
;|       |         ^~~~~~~~~
;| blocks.s:14:9: error[E0109]: '.else' without '.if'
;|    14 |         .else
;|       |         ^~~~~
;| blocks.s:15:17: error[E0401]: count -1 is outside 0..16384
;|    15 |         .rept   -1
;|       |                 ^~
;| blocks.s:17:17: error[E0401]: count 1048576 is outside 0..16384
;|    17 |         .rept   1 << 20
;|       |                 ^~~~~~~
;| blocks.s:20:26: error[E0402]: division by zero
;|    20 |         li      t0, 1 / 0
;|       |                         ^
;| blocks.s:19:9: note: in repetition 1 of 2 (i = 0) of this .rept
;|    19 |         .rept   2, i
;|       |         ^~~~~~~~~~~~
;| blocks.s:23:9: error[E0109]: '.if' without '.endif'
;|    23 |         .if     0
;|       |         ^~~~~~~~~
;| blocks.s:22:9: note: in repetition 1 of 2 of this .rept
;|    22 |         .rept   2
;|       |         ^~~~~~~~~
;|   the same in 1 expansion more
;| blocks.s:25:9: error[E0109]: '.endr' without '.rept'
;|    25 |         .endr
;|       |         ^~~~~
;| blocks.s:26:9: error[E0109]: '.ifdef' without '.endif'
;|    26 |         .ifdef  LATER
;|       |         ^~~~~~~~~~~~~
;| blocks.s:27:9: error[E0109]: '.macro' without '.endm'
;|    27 |         .macro  endless
;|       |         ^~~~~~~~~~~~~~~
;| 14 errors
