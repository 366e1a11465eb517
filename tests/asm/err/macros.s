        .macro  scale, to, from, by=2, by=3
        slli    \to, \from, \by
        .endm
        .macro  add, a
        .endm
        .macro  scale
        .endm
        scale   t0, t1                  # good
        scale   t0
        scale   t0, t1, 2, 3
        scale   t0, from=t1, 5
        scale   t0, to=t1
        scale   t0, form=t1, 1, 2
        scale   t0, t9x                 # the argument is wrong
        .macro  outer, value
        li      t0, \value              # the place that uses it
        scale   t0, t1, (\value)
        li      t0, \valu
        .endm
        outer   1 << 40
        scal    t0, t1
        .macro  deep
        deep
        .endm
        deep
        scale   t0, (t1
        .local  name
        .endm
;| macros.s:1:40: error[E0701]: parameter 'by' is given twice
;|     1 |         .macro  scale, to, from, by=2, by=3
;|       |                                        ^~
;| macros.s:4:17: error[E0701]: 'add' is an instruction and can't be a macro
;|     4 |         .macro  add, a
;|       |                 ^~~
;| macros.s:6:17: error[E0302]: macro 'scale' is defined twice
;|     6 |         .macro  scale
;|       |                 ^~~~~
;| macros.s:1:17: note: 'scale' is first defined here
;|     1 |         .macro  scale, to, from, by=2, by=3
;|       |                 ^~~~~
;| macros.s:9:19: error[E0702]: macro 'scale' lacks from
;|     9 |         scale   t0
;|       |                   ^
;|   help: form: scale to, from, by=2
;| macros.s:1:17: note: the macro 'scale' is defined here
;|     1 |         .macro  scale, to, from, by=2, by=3
;|       |                 ^~~~~
;| macros.s:10:28: error[E0702]: macro 'scale' takes 3 arguments, this is one more
;|    10 |         scale   t0, t1, 2, 3
;|       |                            ^
;|   help: form: scale to, from, by=2
;| macros.s:1:17: note: the macro 'scale' is defined here
;|     1 |         .macro  scale, to, from, by=2, by=3
;|       |                 ^~~~~
;| macros.s:11:30: error[E0702]: an argument without a name follows one with a name
;|    11 |         scale   t0, from=t1, 5
;|       |                              ^
;|   help: form: scale to, from, by=2
;| macros.s:1:17: note: the macro 'scale' is defined here
;|     1 |         .macro  scale, to, from, by=2, by=3
;|       |                 ^~~~~
;| macros.s:12:21: error[E0702]: 'to' is given twice
;|    12 |         scale   t0, to=t1
;|       |                     ^~~~~
;|   help: form: scale to, from, by=2
;| macros.s:1:17: note: the macro 'scale' is defined here
;|     1 |         .macro  scale, to, from, by=2, by=3
;|       |                 ^~~~~
;| macros.s:13:33: error[E0702]: macro 'scale' takes 3 arguments, this is one more
;|    13 |         scale   t0, form=t1, 1, 2
;|       |                                 ^
;|   help: form: scale to, from, by=2
;| macros.s:1:17: note: the macro 'scale' is defined here
;|     1 |         .macro  scale, to, from, by=2, by=3
;|       |                 ^~~~~
;| macros.s:2:22: error[E0201]: unknown register 't9x'
;|     2 |         slli    t0, t9x, 2
;|       |                     ^~~
;|   help: did you mean 't9'?
;| macros.s:14:21: note: in this use of the macro 'scale'
;|    14 |         scale   t0, t9x                 # the argument is wrong
;|       |                     ^~~
;| macros.s:16:21: error[E0401]: immediate 1099511627776 is outside -2147483648..4294967295
;|    16 |         li      t0, 1 << 40              # the place that uses it
;|       |                     ^~~~~~~
;| macros.s:20:17: note: in this use of the macro 'outer'
;|    20 |         outer   1 << 40
;|       |                 ^~~~~~~
;| macros.s:2:29: error[E0401]: immediate 1099511627776 is outside -2147483648..4294967295
;|     2 |         slli    t0, t1, (1 << 40)
;|       |                          ^~~~~~~
;| macros.s:17:26: note: in this use of the macro 'scale'
;|    17 |         scale   t0, t1, (1 << 40)
;|       |                          ^~~~~~~
;| macros.s:20:17: note: in this use of the macro 'outer'
;|    20 |         outer   1 << 40
;|       |                 ^~~~~~~
;| macros.s:18:21: error[E0702]: '\valu' is no parameter of a macro and no counter of a repetition here
;|    18 |         li      t0, \valu
;|       |                     ^~~~~
;| macros.s:20:9: note: in this use of the macro 'outer'
;|    20 |         outer   1 << 40
;|       |         ^~~~~~~~~~~~~~~
;| macros.s:21:9: error[E0107]: unknown instruction 'scal'
;|    21 |         scal    t0, t1
;|       |         ^~~~
;|   help: did you mean 'scale' or 'call'?
;| macros.s:23:9: error[E0703]: macros, repetitions and includes are nested more than 64 deep
;|    23 |         deep
;|       |         ^~~~
;| macros.s:23:9: note: in this use of the macro 'deep'
;|    23 |         deep
;|       |         ^~~~
;| macros.s:23:9: note: in this use of the macro 'deep'
;|    23 |         deep
;|       |         ^~~~
;| macros.s:23:9: note: in this use of the macro 'deep'
;|    23 |         deep
;|       |         ^~~~
;| macros.s:23:9: note: in this use of the macro 'deep'
;|    23 |         deep
;|       |         ^~~~
;| macros.s:23:9: note: in this use of the macro 'deep' (and 55 places more)
;|    23 |         deep
;|       |         ^~~~
;| macros.s:23:9: note: in this use of the macro 'deep'
;|    23 |         deep
;|       |         ^~~~
;| macros.s:23:9: note: in this use of the macro 'deep'
;|    23 |         deep
;|       |         ^~~~
;| macros.s:23:9: note: in this use of the macro 'deep'
;|    23 |         deep
;|       |         ^~~~
;| macros.s:25:9: note: in this use of the macro 'deep'
;|    25 |         deep
;|       |         ^~~~
;| macros.s:26:24: error[E0101]: the line ends too early; expected ')'
;|    26 |         scale   t0, (t1
;|       |                        ^
;| macros.s:27:9: error[E0701]: '.local' stands in macros and repetitions, before what uses its names
;|    27 |         .local  name
;|       |         ^~~~~~~~~~~~
;| macros.s:28:9: error[E0109]: '.endm' without '.macro'
;|    28 |         .endm
;|       |         ^~~~~
;| 17 errors
