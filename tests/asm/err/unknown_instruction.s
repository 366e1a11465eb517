        laod.b  sp[s0], dram[a0], bytes=t0
        LI      t0, 5
        frobnicate
loop    halt
        SIZE = 16
again:  lod.w   acc[s0], dram[a0], bytes=t0     # the label is defined all the same
        j       again
;| unknown_instruction.s:1:9: error[E0107]: unknown instruction 'laod.b'
;|     1 |         laod.b  sp[s0], dram[a0], bytes=t0
;|       |         ^~~~~~
;|   help: did you mean 'load.b' or 'add.b'?
;| unknown_instruction.s:2:9: error[E0107]: unknown instruction 'LI'
;|     2 |         LI      t0, 5
;|       |         ^~
;|   help: did you mean 'li'?
;| unknown_instruction.s:3:9: error[E0107]: unknown instruction 'frobnicate'
;|     3 |         frobnicate
;|       |         ^~~~~~~~~~
;| unknown_instruction.s:4:1: error[E0107]: unknown instruction 'loop'
;|     4 | loop    halt
;|       | ^~~~
;|   help: a label ends in a colon: loop:
;| unknown_instruction.s:5:9: error[E0107]: unknown instruction 'SIZE'
;|     5 |         SIZE = 16
;|       |         ^~~~
;|   help: constants are defined by: .equ SIZE, value
;| unknown_instruction.s:6:9: error[E0107]: unknown instruction 'lod.w'
;|     6 | again:  lod.w   acc[s0], dram[a0], bytes=t0     # the label is defined all the same
;|       |         ^~~~~
;|   help: did you mean 'load.w' or 'load.b'?
;| 6 errors
