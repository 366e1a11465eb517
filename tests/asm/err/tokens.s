        .token  a = lod -> array.0
        .token  b = load -> aray.0
        .token  c = load -> array.2
        .token  d = load -> array
        .token  e = load -> load.0
        .token  f = load -> array.0
        .token  f = load -> array.1
        .token  load.0 = load -> array.0
        preload sp[s0] wait(a, b)               # no further errors
        .token  g = load -> vector
        .token  h = load -> vector.1
        .token  i = load -> vector
;| tokens.s:1:21: error[E0503]: unknown producer 'lod'
;|     1 |         .token  a = lod -> array.0
;|       |                     ^~~
;|   help: did you mean 'load' or 'preload'?
;|   help: producers are load, store, preload, run, vector
;| tokens.s:2:29: error[E0503]: unknown consumer 'aray.0'
;|     2 |         .token  b = load -> aray.0
;|       |                             ^~~~~~
;|   help: did you mean 'array'?
;|   help: consumers are load, store, array, vector, with .0 or .1 behind them or without
;| tokens.s:3:29: error[E0503]: unknown channel 'array.2'; expected array.0 or array.1
;|     3 |         .token  c = load -> array.2
;|       |                             ^~~~~~~
;| tokens.s:5:29: error[E0503]: no channel leads from load to its own unit
;|     5 |         .token  e = load -> load.0
;|       |                             ^~~~~~
;|   help: a unit's own instructions are in order anyway
;| tokens.s:7:17: error[E0302]: token 'f' is declared twice
;|     7 |         .token  f = load -> array.1
;|       |                 ^
;| tokens.s:6:17: note: token 'f' is first declared here
;|     6 |         .token  f = load -> array.0
;|       |                 ^
;| tokens.s:8:17: error[E0303]: 'load.0' is a channel and can't be a token's name
;|     8 |         .token  load.0 = load -> array.0
;|       |                 ^~~~~~
;| tokens.s:12:17: error[E0503]: all 2 channels from load to vector have names
;|    12 |         .token  i = load -> vector
;|       |                 ^
;| tokens.s:10:17: note: load->vector.0 is 'g'
;|    10 |         .token  g = load -> vector
;|       |                 ^
;| tokens.s:11:17: note: load->vector.1 is 'h'
;|    11 |         .token  h = load -> vector.1
;|       |                 ^
;| 7 errors
