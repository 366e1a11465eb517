        j       nowhere0
        j       nowhere1
        j       nowhere2
        j       nowhere3
        j       nowhere4
        j       nowhere5
        j       nowhere6
        j       nowhere7
        j       nowhere8
        j       nowhere9
        j       nowhere10
        j       nowhere11
        j       nowhere12
        j       nowhere13
        j       nowhere14
        j       nowhere15
        j       nowhere16
        j       nowhere17
        j       nowhere18
        j       nowhere19
        j       nowhere20
        j       nowhere21
        j       nowhere22
        j       nowhere23
        j       nowhere24
;| many.s:1:17: error[E0301]: undefined symbol 'nowhere0'
;|     1 |         j       nowhere0
;|       |                 ^~~~~~~~
;| many.s:2:17: error[E0301]: undefined symbol 'nowhere1'
;|     2 |         j       nowhere1
;|       |                 ^~~~~~~~
;| many.s:3:17: error[E0301]: undefined symbol 'nowhere2'
;|     3 |         j       nowhere2
;|       |                 ^~~~~~~~
;| many.s:4:17: error[E0301]: undefined symbol 'nowhere3'
;|     4 |         j       nowhere3
;|       |                 ^~~~~~~~
;| many.s:5:17: error[E0301]: undefined symbol 'nowhere4'
;|     5 |         j       nowhere4
;|       |                 ^~~~~~~~
;| many.s:6:17: error[E0301]: undefined symbol 'nowhere5'
;|     6 |         j       nowhere5
;|       |                 ^~~~~~~~
;| many.s:7:17: error[E0301]: undefined symbol 'nowhere6'
;|     7 |         j       nowhere6
;|       |                 ^~~~~~~~
;| many.s:8:17: error[E0301]: undefined symbol 'nowhere7'
;|     8 |         j       nowhere7
;|       |                 ^~~~~~~~
;| many.s:9:17: error[E0301]: undefined symbol 'nowhere8'
;|     9 |         j       nowhere8
;|       |                 ^~~~~~~~
;| many.s:10:17: error[E0301]: undefined symbol 'nowhere9'
;|    10 |         j       nowhere9
;|       |                 ^~~~~~~~
;| many.s:11:17: error[E0301]: undefined symbol 'nowhere10'
;|    11 |         j       nowhere10
;|       |                 ^~~~~~~~~
;| many.s:12:17: error[E0301]: undefined symbol 'nowhere11'
;|    12 |         j       nowhere11
;|       |                 ^~~~~~~~~
;| many.s:13:17: error[E0301]: undefined symbol 'nowhere12'
;|    13 |         j       nowhere12
;|       |                 ^~~~~~~~~
;| many.s:14:17: error[E0301]: undefined symbol 'nowhere13'
;|    14 |         j       nowhere13
;|       |                 ^~~~~~~~~
;| many.s:15:17: error[E0301]: undefined symbol 'nowhere14'
;|    15 |         j       nowhere14
;|       |                 ^~~~~~~~~
;| many.s:16:17: error[E0301]: undefined symbol 'nowhere15'
;|    16 |         j       nowhere15
;|       |                 ^~~~~~~~~
;| many.s:17:17: error[E0301]: undefined symbol 'nowhere16'
;|    17 |         j       nowhere16
;|       |                 ^~~~~~~~~
;| many.s:18:17: error[E0301]: undefined symbol 'nowhere17'
;|    18 |         j       nowhere17
;|       |                 ^~~~~~~~~
;| many.s:19:17: error[E0301]: undefined symbol 'nowhere18'
;|    19 |         j       nowhere18
;|       |                 ^~~~~~~~~
;| many.s:20:17: error[E0301]: undefined symbol 'nowhere19'
;|    20 |         j       nowhere19
;|       |                 ^~~~~~~~~
;| 25 errors, the first 20 shown
