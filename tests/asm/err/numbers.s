        li      t0, 12ab
        li      t0, 0x
        li      t0, 0b12
        li      t0, 010
        li      t0, 1.5
        li      t0, 0xg
;| numbers.s:1:21: error[E0103]: malformed number '12ab'
;|     1 |         li      t0, 12ab
;|       |                     ^~~~
;|   help: numbers are 12, 0x1f, 0b101 or 0o17, with _ between digits
;| numbers.s:2:21: error[E0103]: malformed number '0x'
;|     2 |         li      t0, 0x
;|       |                     ^~
;|   help: numbers are 12, 0x1f, 0b101 or 0o17, with _ between digits
;| numbers.s:3:21: error[E0103]: malformed number '0b12'
;|     3 |         li      t0, 0b12
;|       |                     ^~~~
;|   help: numbers are 12, 0x1f, 0b101 or 0o17, with _ between digits
;| numbers.s:4:21: error[E0103]: number '010' begins with 0
;|     4 |         li      t0, 010
;|       |                     ^~~
;|   help: write 10, or 0o17 for octal
;| numbers.s:5:21: error[E0404]: 1.5 is no integer
;|     5 |         li      t0, 1.5
;|       |                     ^~~
;|   help: only .float takes numbers with a fraction
;| numbers.s:6:21: error[E0103]: malformed number '0xg'
;|     6 |         li      t0, 0xg
;|       |                     ^~~
;|   help: numbers are 12, 0x1f, 0b101 or 0o17, with _ between digits
;| 6 errors
