# Data directives; an answer is the bytes that the line adds. `data` is declared after the program's own arguments.
        .arg    M, value
        .equ    SIZE, 4
        .data
start:  .byte   1, -1, 255, 'A'                 ; = 01 ff ff 41
        .half   -2, 0x1234                      ; = fe ff 34 12
        .word   -1, 0xdeadbeef                  ; = ff ff ff ff ef be ad de
        .float  1.5, -0.5, 3, -inf, 1e-3        ; = 00 00 c0 3f 00 00 00 bf 00 00 40 40 00 00 80 ff 6f 12 83 3a
        .ascii  "a;\"\n\x7f", "é"               ; = 61 3b 22 0a 7f c3 a9
        .align  8                               ; = 00 00 00 00 00
        .space  3                               ; = 00 00 00
        .space  SIZE / 2, -2                    ; = fe fe
        .align  4                               ; = 00 00 00
here:   .word   ., here - start, end            ; = 38 00 00 00 38 00 00 00 44 00 00 00
end:
        .text
        larg    a0, args[data]                  ; = 00000000 00000000 00000001 00000221
        addi    a0, a0, here                    ; = 00000000 00000000 00000038 00004211
