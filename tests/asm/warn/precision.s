        .data
        .float  16777216, 16777217, 0.1, -(1 << 31)
;| precision.s:2:27: warning[W0102]: binary32 can't hold 16777217 exactly
;|     2 |         .float  16777216, 16777217, 0.1, -(1 << 31)
;|       |                           ^~~~~~~~
;|   help: write it with a decimal point if that is meant
;| 1 warning
