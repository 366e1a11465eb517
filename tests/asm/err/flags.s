        preload sp[s0] transpose
        preload sp[s0], transpose
        preload sp[s0] transposed transposed
        preload sp[s0] accumulate
        requantise sp[s5], acc[t4], sp[s9], min=a5, max=a6
        requantise sp[s5], acc[t4], params=s9, min=a5, max=a6
        requantise sp[s5], acc[t4], params=acc[s9], min=a5, max=a6
        sync.array t0
;| flags.s:1:24: error[E0204]: preload has no flag 'transpose'
;|     1 |         preload sp[s0] transpose
;|       |                        ^~~~~~~~~
;|   help: did you mean 'transposed'?
;|   help: form: preload sp[reg] [, rows= columns= step= zp=] [u8] [transposed] [wait(...)] [post(...)]
;| flags.s:2:25: error[E0204]: preload has no flag 'transpose'
;|     2 |         preload sp[s0], transpose
;|       |                         ^~~~~~~~~
;|   help: did you mean 'transposed'?
;|   help: form: preload sp[reg] [, rows= columns= step= zp=] [u8] [transposed] [wait(...)] [post(...)]
;| flags.s:3:35: error[E0205]: 'transposed' is given twice
;|     3 |         preload sp[s0] transposed transposed
;|       |                                   ^~~~~~~~~~
;| flags.s:4:24: error[E0204]: preload has no flag 'accumulate'
;|     4 |         preload sp[s0] accumulate
;|       |                        ^~~~~~~~~~
;|   help: form: preload sp[reg] [, rows= columns= step= zp=] [u8] [transposed] [wait(...)] [post(...)]
;| flags.s:5:37: error[E0203]: requantise takes no further operand sp[...] without a name
;|     5 |         requantise sp[s5], acc[t4], sp[s9], min=a5, max=a6
;|       |                                     ^~~~~~
;|   help: write params=sp[...]
;|   help: form: requantise sp[reg], acc[reg], params=sp[reg], min=reg, max=reg [, rows= step= acc_step= planes= plane_step= acc_plane_step= zp=] [wait(...)] [post(...)]
;| flags.s:5:59: error[E0202]: requantise lacks params=...
;|     5 |         requantise sp[s5], acc[t4], sp[s9], min=a5, max=a6
;|       |                                                           ^
;|   help: form: requantise sp[reg], acc[reg], params=sp[reg], min=reg, max=reg [, rows= step= acc_step= planes= plane_step= acc_plane_step= zp=] [wait(...)] [post(...)]
;| flags.s:6:44: error[E0206]: expected sp[register]
;|     6 |         requantise sp[s5], acc[t4], params=s9, min=a5, max=a6
;|       |                                            ^~
;|   help: form: requantise sp[reg], acc[reg], params=sp[reg], min=reg, max=reg [, rows= step= acc_step= planes= plane_step= acc_plane_step= zp=] [wait(...)] [post(...)]
;| flags.s:7:44: error[E0206]: expected sp[...] here, found acc[...]
;|     7 |         requantise sp[s5], acc[t4], params=acc[s9], min=a5, max=a6
;|       |                                            ^~~
;|   help: form: requantise sp[reg], acc[reg], params=sp[reg], min=reg, max=reg [, rows= step= acc_step= planes= plane_step= acc_plane_step= zp=] [wait(...)] [post(...)]
;| flags.s:8:20: error[E0203]: sync.array takes no operands
;|     8 |         sync.array t0
;|       |                    ^~
;|   help: form: sync.array [wait(...)] [post(...)]
;| 9 errors
