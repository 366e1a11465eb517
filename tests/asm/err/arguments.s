        .arg    a, valu
        .arg    b, in
        .arg    c, value, s8[4]
        .arg    d, in, s9[4]
        .arg    e, out, s8[*]
        .arg    f, in, s8[-1]
        .arg    g, in, s8[Q, 4]
        .arg    M, value
        .arg    h, inout, f32[M, 2 * 2, 0x7fffffff + 1]
        larg    a0, args[b]                     # no further error
;| arguments.s:1:20: error[E0502]: unknown kind of argument 'valu'
;|     1 |         .arg    a, valu
;|       |                    ^~~~
;|   help: did you mean 'value'?
;|   help: form: .arg name, value [in low .. high]   or   .arg name, in | out | inout, dtype[size, ...]
;| arguments.s:2:20: error[E0502]: argument 'b' lacks its type and shape
;|     2 |         .arg    b, in
;|       |                    ^~
;|   help: form: .arg name, value [in low .. high]   or   .arg name, in | out | inout, dtype[size, ...]
;| arguments.s:3:27: error[E0502]: a value argument has no type or shape: it is one 32-bit word
;|     3 |         .arg    c, value, s8[4]
;|       |                           ^~
;|   help: form: .arg name, value [in low .. high]   or   .arg name, in | out | inout, dtype[size, ...]
;| arguments.s:4:24: error[E0502]: unknown type 's9'
;|     4 |         .arg    d, in, s9[4]
;|       |                        ^~
;|   help: types are s8, u8, s32, u32, f32
;| arguments.s:5:28: error[E0502]: an argument of kind 'out' needs every size
;|     5 |         .arg    e, out, s8[*]
;|       |                            ^
;|   help: only an input's size can be left to the caller
;| arguments.s:6:27: error[E0401]: size -1 is outside 0..2147483647
;|     6 |         .arg    f, in, s8[-1]
;|       |                           ^~
;| arguments.s:7:27: error[E0301]: undefined symbol 'Q'
;|     7 |         .arg    g, in, s8[Q, 4]
;|       |                           ^
;| arguments.s:9:41: error[E0401]: size 2147483648 is outside 0..2147483647
;|     9 |         .arg    h, inout, f32[M, 2 * 2, 0x7fffffff + 1]
;|       |                                         ^~~~~~~~~~~~~~
;| 8 errors
