        .data
        .ascii  "no end ; # //
        .byte   'ab'
        .byte   'é'
        .ascii  "a\qb"
        .byte   '\w'
;| quotes.s:2:17: error[E0102]: string without its closing quote
;|     2 |         .ascii  "no end ; # //
;|       |                 ^~~~~~~~~~~~~~
;| quotes.s:3:17: error[E0102]: character without its closing quote
;|     3 |         .byte   'ab'
;|       |                 ^~~~
;| quotes.s:4:17: error[E0104]: 'é' takes 2 bytes, not one
;|     4 |         .byte   'é'
;|       |                 ^~~
;|   help: write its number, or a string
;| quotes.s:5:19: error[E0104]: unknown escape '\q'
;|     5 |         .ascii  "a\qb"
;|       |                   ^~
;|   help: escapes are \n \t \r \0 \\ \" \' and \xHH
;| quotes.s:6:18: error[E0104]: unknown escape '\w'
;|     6 |         .byte   '\w'
;|       |                  ^~
;|   help: escapes are \n \t \r \0 \\ \" \' and \xHH
;| 5 errors
