1:      j       1b
        j       1f
        j       2b
        .data
3:      .byte   0
        .text
        j       3b
        .space  4f
        li      t0, 1 ? 2
;| local_labels.s:2:17: error[E0301]: no label '1:' follows
;|     2 |         j       1f
;|       |                 ^~
;| local_labels.s:3:17: error[E0301]: no label '2:' stands above
;|     3 |         j       2b
;|       |                 ^~
;| local_labels.s:7:17: error[E0206]: '3b' is in the section .data: no target of a branch
;|     7 |         j       3b
;|       |                 ^~
;| local_labels.s:8:9: error[E0501]: '.space' in the section .text
;|     8 |         .space  4f
;|       |         ^~~~~~
;|   help: put .data before it
;| local_labels.s:9:26: error[E0101]: the line ends too early; expected ':'
;|     9 |         li      t0, 1 ? 2
;|       |                          ^
;|   help: form: li rd, imm
;| 5 errors
