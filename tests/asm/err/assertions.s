        .equ    ROWS, 15
        .assert ROWS % 4 == 0, "whole tiles only"
        .assert ROWS < 16
        .assert last - first == 2
        .assert ROWS / 0
        .assert ROWS, 5
first:  nop
last:   nop
        .arg    M, value in 1 .. ROWS
        .arg    N, value in 5 .. 4
        .arg    K, value in 0 .. 1 << 32
        .arg    x, in in 1 .. 2
        .case   one, machine=tiny-8, M=16, N=1, K=0
;| assertions.s:2:17: error[E0705]: static assertion does not hold: whole tiles only
;|     2 |         .assert ROWS % 4 == 0, "whole tiles only"
;|       |                 ^~~~~~~~~~~~~
;| assertions.s:4:17: error[E0705]: static assertion does not hold
;|     4 |         .assert last - first == 2
;|       |                 ^~~~~~~~~~~~~~~~~
;| assertions.s:5:24: error[E0402]: division by zero
;|     5 |         .assert ROWS / 0
;|       |                        ^
;| assertions.s:6:23: error[E0101]: unexpected '5'; expected a string
;|     6 |         .assert ROWS, 5
;|       |                       ^
;| assertions.s:10:29: error[E0502]: the range 5 .. 4 is empty
;|    10 |         .arg    N, value in 5 .. 4
;|       |                             ^
;| assertions.s:11:34: error[E0401]: value 4294967296 is outside -2147483648..4294967295
;|    11 |         .arg    K, value in 0 .. 1 << 32
;|       |                                  ^~~~~~~
;| assertions.s:12:26: error[E0502]: only a value argument has a range
;|    12 |         .arg    x, in in 1 .. 2
;|       |                          ^
;|   help: form: .arg name, value [in low .. high]   or   .arg name, in | out | inout, dtype[size, ...]
;| assertions.s:13:40: error[E0401]: value 16 is outside 1..15
;|    13 |         .case   one, machine=tiny-8, M=16, N=1, K=0
;|       |                                        ^~
;| assertions.s:13:44: error[E0505]: no value argument is called 'N'
;|    13 |         .case   one, machine=tiny-8, M=16, N=1, K=0
;|       |                                            ^
;| assertions.s:13:49: error[E0505]: no value argument is called 'K'
;|    13 |         .case   one, machine=tiny-8, M=16, N=1, K=0
;|       |                                                 ^
;| 10 errors
