        .include "missing.inc"
        .include ""
        .include "broken.inc"
        .include "self.inc"
        .include broken.inc
        .include "latin.inc"
;| includes.s:1:18: error[E0704]: no file 'missing.inc'
;|     1 |         .include "missing.inc"
;|       |                  ^~~~~~~~~~~~~
;|   help: it is looked for beside includes.s; -I names further folders
;| includes.s:2:18: error[E0704]: no file ''
;|     2 |         .include ""
;|       |                  ^~
;|   help: it is looked for beside includes.s; -I names further folders
;| broken.inc:4:9: error[E0107]: unknown instruction 'frob'
;|     4 |         frob
;|       |         ^~~~
;| includes.s:3:9: note: 'broken.inc' is included here
;|     3 |         .include "broken.inc"
;|       |         ^~~~~~~~~~~~~~~~~~~~~
;| broken.inc:2:28: error[E0301]: undefined symbol 'FAULTY'
;|     2 |         li      t0, FAULTY
;|       |                     ^~~~~~
;| broken.inc:5:9: note: in this use of the macro 'faulty'
;|     5 |         faulty  t0
;|       |         ^~~~~~~~~~
;| includes.s:3:9: note: 'broken.inc' is included here
;|     3 |         .include "broken.inc"
;|       |         ^~~~~~~~~~~~~~~~~~~~~
;| self.inc:1:18: error[E0704]: 'self.inc' includes itself
;|     1 |         .include "self.inc"
;|       |                  ^~~~~~~~~~
;| includes.s:4:9: note: 'self.inc' is included here
;|     4 |         .include "self.inc"
;|       |         ^~~~~~~~~~~~~~~~~~~
;| includes.s:5:18: error[E0101]: unexpected 'broken.inc'; expected a string
;|     5 |         .include broken.inc
;|       |                  ^~~~~~~~~~
;| latin.inc:1:17: error[E0108]: byte 0xff is no UTF-8 text
;|     1 |         .ascii "�"
;|       |                 ^
;|   help: save the file as UTF-8
;| includes.s:6:9: note: 'latin.inc' is included here
;|     6 |         .include "latin.inc"
;|       |         ^~~~~~~~~~~~~~~~~~~~
;| 7 errors
