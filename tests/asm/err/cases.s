        .arg    M, value
        .arg    N, value
        .arg    x, in, s8[M, N]
        .case   one, machine=edge-16, M=64
        .case   two, M=64, N=3 # no machine
        .case   three, machine="edge-16", M=1, N=2, K=3, x=5
        .case   four, machine=tiny-8, M=1, M=2
        .case   four, N=1 << 32
        .case   five machine=tiny-8
        .case   six, machine=tiny-8, M=Q, N=1 / 0
        .case   seven, machine=
        halt                            # lint: allow
        halt                            # lint: deny L0101 because
        halt                            ; lint: allow L0101
        halt                            // lint: allow L0101, L01x no
        .case   eight, machine="a\0b", M=1, N=1
;| cases.s:4:17: error[E0505]: case 'one' lacks N=...
;|     4 |         .case   one, machine=edge-16, M=64
;|       |                 ^~~
;|   help: form: .case name, machine=preset or path, argument=value, ...
;| cases.s:5:17: error[E0505]: case 'two' lacks machine=...
;|     5 |         .case   two, M=64, N=3 # no machine
;|       |                 ^~~
;|   help: form: .case name, machine=preset or path, argument=value, ...
;| cases.s:6:53: error[E0505]: no value argument is called 'K'
;|     6 |         .case   three, machine="edge-16", M=1, N=2, K=3, x=5
;|       |                                                     ^
;| cases.s:6:58: error[E0505]: no value argument is called 'x'
;|     6 |         .case   three, machine="edge-16", M=1, N=2, K=3, x=5
;|       |                                                          ^
;| cases.s:7:44: error[E0505]: 'M' is given twice
;|     7 |         .case   four, machine=tiny-8, M=1, M=2
;|       |                                            ^~~
;| cases.s:7:39: note: it is first given here
;|     7 |         .case   four, machine=tiny-8, M=1, M=2
;|       |                                       ^~~
;| cases.s:8:25: error[E0401]: value 4294967296 is outside -2147483648..4294967295
;|     8 |         .case   four, N=1 << 32
;|       |                         ^~~~~~~
;| cases.s:9:22: error[E0101]: unexpected 'machine'; expected ',' or the end of the line
;|     9 |         .case   five machine=tiny-8
;|       |                      ^~~~~~~
;| cases.s:10:40: error[E0301]: undefined symbol 'Q'
;|    10 |         .case   six, machine=tiny-8, M=Q, N=1 / 0
;|       |                                        ^
;| cases.s:10:49: error[E0402]: division by zero
;|    10 |         .case   six, machine=tiny-8, M=Q, N=1 / 0
;|       |                                                 ^
;| cases.s:11:32: error[E0101]: the line ends too early; expected a string or the name of a machine
;|    11 |         .case   seven, machine=
;|       |                                ^
;| cases.s:12:49: error[E0506]: this is no comment that the lint understands
;|    12 |         halt                            # lint: allow
;|       |                                                 ^~~~~
;|   help: form: # lint: allow CODE reason, or several codes with commas between
;| cases.s:13:49: error[E0506]: this is no comment that the lint understands
;|    13 |         halt                            # lint: deny L0101 because
;|       |                                                 ^~~~~~~~~~~~~~~~~~
;|   help: form: # lint: allow CODE reason, or several codes with commas between
;| cases.s:14:49: error[E0506]: this is no comment that the lint understands
;|    14 |         halt                            ; lint: allow L0101
;|       |                                                 ^~~~~~~~~~~
;|   help: form: # lint: allow CODE reason, or several codes with commas between
;| cases.s:15:50: error[E0506]: this is no comment that the lint understands
;|    15 |         halt                            // lint: allow L0101, L01x no
;|       |                                                  ^~~~~~~~~~~~~~~~~~~~
;|   help: form: # lint: allow CODE reason, or several codes with commas between
;| cases.s:16:32: error[E0505]: the name of a machine holds a character that can't be printed
;|    16 |         .case   eight, machine="a\0b", M=1, N=1
;|       |                                ^~~~~~
;| 15 errors
