        .equ    ZERO, 0
        .equ    BAD, 1 / ZERO
        li      t0, BAD                         # no further error
        li      t0, 4294967296
        li      t0, -2147483649
        li      t0, 1 % 0
        li      t0, 1 << 64
        li      t0, 1 >> -1
        li      t0, 0x7fffffffffffffff + 1
        li      t0, 9223372036854775808
        li      t0, t1 + 1
        j       .+2147483648
        larg    t0, args[t1 - 2147483649]
        .data
        .byte   256, 0
        .half   -32769
        .word   4294967296
        .float  1e39, 3
        .float  "x"
        .ascii  5
        .byte   "x"
;| values.s:2:26: error[E0402]: division by zero
;|     2 |         .equ    BAD, 1 / ZERO
;|       |                          ^~~~
;| values.s:4:21: error[E0401]: immediate 4294967296 is outside -2147483648..4294967295
;|     4 |         li      t0, 4294967296
;|       |                     ^~~~~~~~~~
;| values.s:5:21: error[E0401]: immediate -2147483649 is outside -2147483648..4294967295
;|     5 |         li      t0, -2147483649
;|       |                     ^~~~~~~~~~~
;| values.s:6:25: error[E0402]: division by zero
;|     6 |         li      t0, 1 % 0
;|       |                         ^
;| values.s:7:26: error[E0403]: shift by 64; expected 0..63
;|     7 |         li      t0, 1 << 64
;|       |                          ^~
;| values.s:8:26: error[E0403]: shift by -1; expected 0..63
;|     8 |         li      t0, 1 >> -1
;|       |                          ^~
;| values.s:9:21: error[E0403]: value does not fit 64 bits
;|     9 |         li      t0, 0x7fffffffffffffff + 1
;|       |                     ^~~~~~~~~~~~~~~~~~~~~~
;| values.s:10:21: error[E0403]: value does not fit 64 bits
;|    10 |         li      t0, 9223372036854775808
;|       |                     ^~~~~~~~~~~~~~~~~~~
;| values.s:11:21: error[E0404]: register t1 in a constant expression; its value is known at run time only
;|    11 |         li      t0, t1 + 1
;|       |                     ^~
;| values.s:12:17: error[E0401]: distance 2147483648 is outside -2147483648..2147483647
;|    12 |         j       .+2147483648
;|       |                 ^~~~~~~~~~~~
;| values.s:13:26: error[E0401]: index -2147483649 is outside -2147483648..4294967295
;|    13 |         larg    t0, args[t1 - 2147483649]
;|       |                          ^~~~~~~~~~~~~~~
;| values.s:15:17: error[E0401]: .byte value 256 is outside -128..255
;|    15 |         .byte   256, 0
;|       |                 ^~~
;| values.s:16:17: error[E0401]: .half value -32769 is outside -32768..65535
;|    16 |         .half   -32769
;|       |                 ^~~~~~
;| values.s:17:17: error[E0401]: .word value 4294967296 is outside -2147483648..4294967295
;|    17 |         .word   4294967296
;|       |                 ^~~~~~~~~~
;| values.s:18:17: error[E0401]: 1e+39 is outside the range of binary32
;|    18 |         .float  1e39, 3
;|       |                 ^~~~
;| values.s:19:17: error[E0404]: expected a number, found a string
;|    19 |         .float  "x"
;|       |                 ^~~
;|   help: strings go into .ascii
;| values.s:20:17: error[E0206]: expected a string in double quotes
;|    20 |         .ascii  5
;|       |                 ^
;| values.s:21:17: error[E0404]: expected a number, found a string
;|    21 |         .byte   "x"
;|       |                 ^~~
;|   help: strings go into .ascii
;| 18 errors
