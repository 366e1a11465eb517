größe: nop
ä: nop
        .equ é, 3
        li t0, é
;| letters.s:1:3: error[E0101]: unexpected 'ö' in a name
;|     1 | größe: nop
;|       |   ^
;|   help: names consist of the letters a to z and A to Z, digits, _ and .
;| letters.s:2:1: error[E0101]: unexpected 'ä'; expected a label, an instruction or a directive
;|     2 | ä: nop
;|       | ^
;|   help: names consist of the letters a to z and A to Z, digits, _ and .
;| letters.s:3:14: error[E0101]: unexpected 'é'; expected a name
;|     3 |         .equ é, 3
;|       |              ^
;|   help: names consist of the letters a to z and A to Z, digits, _ and .
;| letters.s:4:16: error[E0101]: unexpected 'é'; expected a value
;|     4 |         li t0, é
;|       |                ^
;|   help: names consist of the letters a to z and A to Z, digits, _ and .
;|   help: form: li rd, imm
;| 4 errors
