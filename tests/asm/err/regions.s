        .region a, sp[4, 16]
        .region b, sp[32], at=48
        .region c, dram[16]
        .region d, sp[0]
        .region e, sp[LATER]
        .region f, acc[16], under=a
        .region g, acc[16], at=0, over=a
        .region h, acc[16], over=a
        .region i, sp[65], over=a
        .region j, sp[1], at=-1
        .region k, sp[1 << 31]
        .region l, sp[1 << 30], at=1 << 30
        .region m, sp[64], over=a
        .region n, sp[4096]
        .region o, acc[64], at=960
        .region a.rows, acc[1]
        .equ    LATER, 5
        .equ    N, 3
        .case   large, machine=edge-16
        .case   small, machine=tiny-8
        .case   none, machine=edge-17           # the lint says that there is no such machine
        li      t0, a[3, 15]
        li      t0, a[4]
        li      t0, a[0, 16]
        li      t0, a[0, 0, 0]
        li      t0, N[0]
        li      t0, nothing[0]
        li      t0, c[0]
;| regions.s:2:17: error[E0603]: region 'b' has rows 48..79 of sp, which are also of 'a'
;|     2 |         .region b, sp[32], at=48
;|       |                 ^
;|   help: if that is meant: over=a
;| regions.s:1:17: note: region 'a' has rows 0..63 of sp
;|     1 |         .region a, sp[4, 16]
;|       |                 ^
;| regions.s:3:20: error[E0601]: a region lies in sp or acc, not in dram
;|     3 |         .region c, dram[16]
;|       |                    ^~~~
;|   help: form: .region name, sp[rows, ...] or acc[rows, ...] [, at=row] [, over=region]
;| regions.s:4:23: error[E0401]: size 0 is outside 1..2147483647
;|     4 |         .region d, sp[0]
;|       |                       ^
;| regions.s:5:23: error[E0305]: 'LATER' is not defined above this line
;|     5 |         .region e, sp[LATER]
;|       |                       ^~~~~
;|   help: its value is needed at once: move the definition up
;| regions.s:6:29: error[E0601]: a region has no 'under'
;|     6 |         .region f, acc[16], under=a
;|       |                             ^~~~~
;|   help: form: .region name, sp[rows, ...] or acc[rows, ...] [, at=row] [, over=region]
;| regions.s:7:35: error[E0601]: one of at=... and over=... says where a region lies
;|     7 |         .region g, acc[16], at=0, over=a
;|       |                                   ^~~~~~
;|   help: form: .region name, sp[rows, ...] or acc[rows, ...] [, at=row] [, over=region]
;| regions.s:8:34: error[E0601]: over=... names a region of acc that is declared further up
;|     8 |         .region h, acc[16], over=a
;|       |                                  ^
;| regions.s:9:28: error[E0603]: region 'i' has 65 rows, 'a' only 64
;|     9 |         .region i, sp[65], over=a
;|       |                            ^~~~~~
;|   help: only what lies within the other region may take its place
;| regions.s:10:27: error[E0602]: rows -1..-1 are no rows of any memory
;|    10 |         .region j, sp[1], at=-1
;|       |                           ^~~~~
;| regions.s:11:23: error[E0401]: size 2147483648 is outside 1..2147483647
;|    11 |         .region k, sp[1 << 31]
;|       |                       ^~~~~~~
;| regions.s:12:33: error[E0602]: rows 1073741824..2147483647 are no rows of any memory
;|    12 |         .region l, sp[1 << 30], at=1 << 30
;|       |                                 ^~~~~~~~~~
;| regions.s:14:17: error[E0602]: region 'n' has rows 80..4175; sp of tiny-8 has 4096 rows
;|    14 |         .region n, sp[4096]
;|       |                 ^
;| regions.s:20:32: note: tiny-8 is a machine of this case
;|    20 |         .case   small, machine=tiny-8
;|       |                                ^~~~~~
;| regions.s:15:17: error[E0602]: region 'o' has rows 960..1023; acc of tiny-8 has 512 rows
;|    15 |         .region o, acc[64], at=960
;|       |                 ^
;| regions.s:20:32: note: tiny-8 is a machine of this case
;|    20 |         .case   small, machine=tiny-8
;|       |                                ^~~~~~
;| regions.s:16:17: error[E0302]: 'a.rows' is defined twice
;|    16 |         .region a.rows, acc[1]
;|       |                 ^~~~~~
;| regions.s:1:17: note: 'a.rows' is first defined here
;|     1 |         .region a, sp[4, 16]
;|       |                 ^
;| regions.s:23:23: error[E0604]: index 4 is outside 0..3 of region 'a'
;|    23 |         li      t0, a[4]
;|       |                       ^
;| regions.s:24:26: error[E0604]: index 16 is outside 0..15 of region 'a'
;|    24 |         li      t0, a[0, 16]
;|       |                          ^~
;| regions.s:25:29: error[E0604]: region 'a' takes 2 indices
;|    25 |         li      t0, a[0, 0, 0]
;|       |                             ^
;| regions.s:26:21: error[E0206]: 'N' is no region and has no index
;|    26 |         li      t0, N[0]
;|       |                     ^
;| regions.s:27:21: error[E0301]: undefined symbol 'nothing'
;|    27 |         li      t0, nothing[0]
;|       |                     ^~~~~~~
;| regions.s:28:21: error[E0206]: 'c' is no region and has no index
;|    28 |         li      t0, c[0]
;|       |                     ^
;| 20 errors
