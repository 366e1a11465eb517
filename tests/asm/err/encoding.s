        halt    # a comment
        halt    # café
;| encoding.s:2:22: error[E0108]: byte 0xe9 is no UTF-8 text
;|     2 |         halt    # cafï¿½
;|       |                      ^
;|   help: save the file as UTF-8
;| 1 error
