        load.b  sp[s0, dram[a0], bytes=t0
        load.b  sp[s0] dram[a0], bytes=t0
        preload sp[s0] wait(load.0
        preload sp[s0] wait()
        preload sp[s0],
        preload sp
        li      t0, (1 + 2
        li      t0, 1 2
        li      t0, @
	li	t0,,	5
        .equ    ONE 1
        .equ    TEXT, "x"
        .token  full load -> array.0
        .arg    x, in, s8[
        .arg    y, in, s8
        .word
        ,
        add     t0, t1,         # the caret stands before the comment
;| syntax.s:1:22: error[E0101]: unexpected ','; expected ']'
;|     1 |         load.b  sp[s0, dram[a0], bytes=t0
;|       |                      ^
;|   help: form: load.b sp[reg], dram[reg], bytes=reg [, rows= stride= step= block_step= planes= plane_stride= plane_step= fill=] [wait(...)] [post(...)]
;| syntax.s:2:24: error[E0101]: expected ',' before 'dram'
;|     2 |         load.b  sp[s0] dram[a0], bytes=t0
;|       |                        ^~~~
;|   help: form: load.b sp[reg], dram[reg], bytes=reg [, rows= stride= step= block_step= planes= plane_stride= plane_step= fill=] [wait(...)] [post(...)]
;| syntax.s:3:35: error[E0101]: the line ends too early; expected ',' or ')'
;|     3 |         preload sp[s0] wait(load.0
;|       |                                   ^
;|   help: form: preload sp[reg] [, rows= columns= step= zp=] [u8] [transposed] [wait(...)] [post(...)]
;| syntax.s:4:29: error[E0101]: unexpected ')'; expected a name or a channel
;|     4 |         preload sp[s0] wait()
;|       |                             ^
;|   help: form: preload sp[reg] [, rows= columns= step= zp=] [u8] [transposed] [wait(...)] [post(...)]
;| syntax.s:5:24: error[E0101]: the line ends too early; expected a value
;|     5 |         preload sp[s0],
;|       |                        ^
;|   help: form: preload sp[reg] [, rows= columns= step= zp=] [u8] [transposed] [wait(...)] [post(...)]
;| syntax.s:6:19: error[E0101]: the line ends too early; expected '['
;|     6 |         preload sp
;|       |                   ^
;|   help: form: preload sp[reg] [, rows= columns= step= zp=] [u8] [transposed] [wait(...)] [post(...)]
;| syntax.s:7:27: error[E0101]: the line ends too early; expected ')'
;|     7 |         li      t0, (1 + 2
;|       |                           ^
;|   help: form: li rd, imm
;| syntax.s:8:23: error[E0101]: unexpected '2'; expected ',' or the end of the line
;|     8 |         li      t0, 1 2
;|       |                       ^
;|   help: form: li rd, imm
;| syntax.s:9:21: error[E0101]: unexpected '@'; expected a value
;|     9 |         li      t0, @
;|       |                     ^
;|   help: form: li rd, imm
;| syntax.s:10:8: error[E0101]: unexpected ','; expected a value
;|    10 | 	li	t0,,	5
;|       | 	  	   ^
;|   help: form: li rd, imm
;| syntax.s:11:21: error[E0101]: unexpected '1'; expected ','
;|    11 |         .equ    ONE 1
;|       |                     ^
;| syntax.s:12:23: error[E0101]: unexpected '"x"'; expected a value
;|    12 |         .equ    TEXT, "x"
;|       |                       ^~~
;| syntax.s:13:22: error[E0101]: unexpected 'load'; expected '='
;|    13 |         .token  full load -> array.0
;|       |                      ^~~~
;| syntax.s:14:27: error[E0101]: the line ends too early; expected a value or '*'
;|    14 |         .arg    x, in, s8[
;|       |                           ^
;| syntax.s:15:26: error[E0101]: the line ends too early; expected '['
;|    15 |         .arg    y, in, s8
;|       |                          ^
;| syntax.s:16:14: error[E0101]: the line ends too early; expected a value or a string
;|    16 |         .word
;|       |              ^
;| syntax.s:17:9: error[E0101]: unexpected ','; expected a label, an instruction or a directive
;|    17 |         ,
;|       |         ^
;| syntax.s:18:24: error[E0101]: the line ends too early; expected a value
;|    18 |         add     t0, t1,         # the caret stands before the comment
;|       |                        ^
;|   help: form: add rd, rs1, rs2
;| 18 errors
