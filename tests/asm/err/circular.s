        .equ    A, B + 1
        .equ    B, C
        .equ    C, A
        .equ    SELF, SELF
        li      t0, A                           # no further error
;| circular.s:3:20: error[E0304]: 'A' is defined in terms of itself
;|     3 |         .equ    C, A
;|       |                    ^
;| circular.s:1:17: note: its definition
;|     1 |         .equ    A, B + 1
;|       |                 ^
;| circular.s:4:23: error[E0304]: 'SELF' is defined in terms of itself
;|     4 |         .equ    SELF, SELF
;|       |                       ^~~~
;| circular.s:4:17: note: its definition
;|     4 |         .equ    SELF, SELF
;|       |                 ^~~~
;| 2 errors
