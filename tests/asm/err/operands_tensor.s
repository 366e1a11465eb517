        load.b  sp[s0], dram[a0]
        load.b
        load.b  dram[a0], sp[s0], bytes=t0
        load.b  sp[s0], dram[a0], sp[s1], bytes=t0
        load.b  sp[s0], dram[a0], t0
        load.b  sp[s0], dram[a0], byts=t0
        load.b  sp[s0], dram[a0], bytes=t0, bytes=t1
        load.b  sp[s0], dram[a0], bytes=dram[t0]
        load.b  sp[s0], dram[a0], bytes=t0 u8
;| operands_tensor.s:1:33: error[E0202]: load.b lacks bytes=...
;|     1 |         load.b  sp[s0], dram[a0]
;|       |                                 ^
;|   help: form: load.b sp[reg], dram[reg], bytes=reg [, rows= stride= step= block_step= planes= plane_stride= plane_step= fill=] [wait(...)] [post(...)]
;| operands_tensor.s:2:15: error[E0202]: load.b lacks sp[...] and dram[...] and bytes=...
;|     2 |         load.b
;|       |               ^
;|   help: form: load.b sp[reg], dram[reg], bytes=reg [, rows= stride= step= block_step= planes= plane_stride= plane_step= fill=] [wait(...)] [post(...)]
;| operands_tensor.s:3:17: error[E0206]: expected sp[...] here, found dram[...]
;|     3 |         load.b  dram[a0], sp[s0], bytes=t0
;|       |                 ^~~~
;|   help: form: load.b sp[reg], dram[reg], bytes=reg [, rows= stride= step= block_step= planes= plane_stride= plane_step= fill=] [wait(...)] [post(...)]
;| operands_tensor.s:3:27: error[E0206]: expected dram[...] here, found sp[...]
;|     3 |         load.b  dram[a0], sp[s0], bytes=t0
;|       |                           ^~
;|   help: form: load.b sp[reg], dram[reg], bytes=reg [, rows= stride= step= block_step= planes= plane_stride= plane_step= fill=] [wait(...)] [post(...)]
;| operands_tensor.s:4:35: error[E0203]: load.b takes no further operand sp[...] without a name
;|     4 |         load.b  sp[s0], dram[a0], sp[s1], bytes=t0
;|       |                                   ^~~~~~
;|   help: form: load.b sp[reg], dram[reg], bytes=reg [, rows= stride= step= block_step= planes= plane_stride= plane_step= fill=] [wait(...)] [post(...)]
;| operands_tensor.s:5:35: error[E0203]: load.b takes no operand without a name, but for memory
;|     5 |         load.b  sp[s0], dram[a0], t0
;|       |                                   ^~
;|   help: write name=register, as in bytes=t0
;|   help: form: load.b sp[reg], dram[reg], bytes=reg [, rows= stride= step= block_step= planes= plane_stride= plane_step= fill=] [wait(...)] [post(...)]
;| operands_tensor.s:5:37: error[E0202]: load.b lacks bytes=...
;|     5 |         load.b  sp[s0], dram[a0], t0
;|       |                                     ^
;|   help: form: load.b sp[reg], dram[reg], bytes=reg [, rows= stride= step= block_step= planes= plane_stride= plane_step= fill=] [wait(...)] [post(...)]
;| operands_tensor.s:6:35: error[E0204]: load.b has no operand 'byts'
;|     6 |         load.b  sp[s0], dram[a0], byts=t0
;|       |                                   ^~~~
;|   help: did you mean 'bytes'?
;|   help: form: load.b sp[reg], dram[reg], bytes=reg [, rows= stride= step= block_step= planes= plane_stride= plane_step= fill=] [wait(...)] [post(...)]
;| operands_tensor.s:7:45: error[E0205]: 'bytes' is given twice
;|     7 |         load.b  sp[s0], dram[a0], bytes=t0, bytes=t1
;|       |                                             ^~~~~~~~
;| operands_tensor.s:8:41: error[E0206]: expected a register, found dram[...]
;|     8 |         load.b  sp[s0], dram[a0], bytes=dram[t0]
;|       |                                         ^~~~~~~~
;|   help: form: load.b sp[reg], dram[reg], bytes=reg [, rows= stride= step= block_step= planes= plane_stride= plane_step= fill=] [wait(...)] [post(...)]
;| operands_tensor.s:9:44: error[E0204]: load.b has no flag 'u8'
;|     9 |         load.b  sp[s0], dram[a0], bytes=t0 u8
;|       |                                            ^~
;|   help: form: load.b sp[reg], dram[reg], bytes=reg [, rows= stride= step= block_step= planes= plane_stride= plane_step= fill=] [wait(...)] [post(...)]
;| 11 errors
