        .equ    SIZE, 16
        li      t0, SIEZ
        j       nowhere
        larg    a0, args[data]
loop:
loop:   halt
SIZE:   halt
        .equ    t0, 5
        .arg    acc, value
        .arg    data, value
wait:   halt
        .global loop, lop
        .data
table:  .word   1
        .text
        beq     t0, t1, table
;| symbols.s:2:21: error[E0301]: undefined symbol 'SIEZ'
;|     2 |         li      t0, SIEZ
;|       |                     ^~~~
;|   help: did you mean 'SIZE'?
;| symbols.s:3:17: error[E0301]: undefined symbol 'nowhere'
;|     3 |         j       nowhere
;|       |                 ^~~~~~~
;| symbols.s:6:1: error[E0302]: 'loop' is defined twice
;|     6 | loop:   halt
;|       | ^~~~
;| symbols.s:5:1: note: 'loop' is first defined here
;|     5 | loop:
;|       | ^~~~
;| symbols.s:7:1: error[E0302]: 'SIZE' is defined twice
;|     7 | SIZE:   halt
;|       | ^~~~
;| symbols.s:1:17: note: 'SIZE' is first defined here
;|     1 |         .equ    SIZE, 16
;|       |                 ^~~~
;| symbols.s:8:17: error[E0303]: 't0' is a word of the instruction set and can't be a symbol
;|     8 |         .equ    t0, 5
;|       |                 ^~
;| symbols.s:9:17: error[E0303]: 'acc' is a word of the instruction set and can't be a symbol
;|     9 |         .arg    acc, value
;|       |                 ^~~
;| symbols.s:10:17: error[E0303]: 'data' can't be declared as an argument
;|    10 |         .arg    data, value
;|       |                 ^~~~
;|   help: the assembler declares 'data' itself: the address of the program's .data section
;| symbols.s:11:1: error[E0303]: 'wait' is a word of the instruction set and can't be a symbol
;|    11 | wait:   halt
;|       | ^~~~
;| symbols.s:12:23: error[E0301]: undefined symbol 'lop'
;|    12 |         .global loop, lop
;|       |                       ^~~
;|   help: did you mean 'loop'?
;| symbols.s:16:25: error[E0206]: 'table' is in the section .data: no target of a branch
;|    16 |         beq     t0, t1, table
;|       |                         ^~~~~
;| 10 errors
