# Labels forward and backward, several on a line, `.`; targets are distances in instructions. Names may be those of mnemonics.
first: second:
        j       last                            ; = 00000000 00000000 00000005 0000002e
.third: jal     ra, first                       ; = 00000000 00000000 ffffffff 0000012e
        beq     t0, t1, .third                  ; = 00000000 00000000 ffffffff 002d4028
        bnez    t0, last - 1                    ; = 00000000 00000000 00000001 00014029
min:    li      t0, last                        ; = 00000000 00000000 00000005 00000a20
last:   j       min                             ; = 00000000 00000000 ffffffff 0000002e
        li      t0, . + 1                       ; = 00000000 00000000 00000007 00000a20
end:
