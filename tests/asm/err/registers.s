        .equ    N, 16
        add     t0, t1, t11
        add     t0, t1, T2
        add     t0, t1, x32
        add     t0, t1, N
        add     t0, t1, 5
        beqz    5, .
        load.b  sp[q9], dram[a0], bytes=so
        load.b  sp[s0], dram[a0], bytes=16
        load.b  sp[s0 + 1], dram[a0], bytes=t0
        load.b  sp[sp[s0]], dram[a0], bytes=t0
;| registers.s:2:25: error[E0201]: unknown register 't11'
;|     2 |         add     t0, t1, t11
;|       |                         ^~~
;|   help: did you mean 't1' or 'x11'?
;| registers.s:3:25: error[E0201]: unknown register 'T2'
;|     3 |         add     t0, t1, T2
;|       |                         ^~
;|   help: did you mean 't2'?
;| registers.s:4:25: error[E0201]: unknown register 'x32'
;|     4 |         add     t0, t1, x32
;|       |                         ^~~
;|   help: did you mean 'x3' or 'x2'?
;| registers.s:5:25: error[E0206]: expected a register, found a constant
;|     5 |         add     t0, t1, N
;|       |                         ^
;|   help: addi takes a constant: addi rd, rs1, imm
;| registers.s:6:25: error[E0206]: expected a register, found a constant
;|     6 |         add     t0, t1, 5
;|       |                         ^
;|   help: addi takes a constant: addi rd, rs1, imm
;| registers.s:7:17: error[E0206]: expected a register, found a constant
;|     7 |         beqz    5, .
;|       |                 ^
;|   help: form: beqz rs1, target
;| registers.s:8:20: error[E0201]: unknown register 'q9'
;|     8 |         load.b  sp[q9], dram[a0], bytes=so
;|       |                    ^~
;| registers.s:8:41: error[E0201]: unknown register 'so'
;|     8 |         load.b  sp[q9], dram[a0], bytes=so
;|       |                                         ^~
;| registers.s:9:41: error[E0206]: expected a register, found a constant
;|     9 |         load.b  sp[s0], dram[a0], bytes=16
;|       |                                         ^~
;|   help: load the value into a register first: li t0, value
;| registers.s:10:20: error[E0206]: expected a register, found a constant
;|    10 |         load.b  sp[s0 + 1], dram[a0], bytes=t0
;|       |                    ^~~~~~
;|   help: load the value into a register first: li t0, value
;| registers.s:11:20: error[E0206]: expected a register, found sp[...]
;|    11 |         load.b  sp[sp[s0]], dram[a0], bytes=t0
;|       |                    ^~~~~~
;|   help: form: load.b sp[reg], dram[reg], bytes=reg [, rows= stride= step= block_step= planes= plane_stride= plane_step= fill=] [wait(...)] [post(...)]
;| 11 errors
