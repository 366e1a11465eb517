# A loop adds the product of -128 and -128 up, from far below the limit on.
        li      t0, 0x7ffb0000
        li      t1, 0x80
        li      s0, 8
        li      s1, 1
        fill.w  acc[zero], fill=t0, rows=s1
        fill.b  sp[zero], fill=t1, rows=s0              post(array.0)
        preload sp[zero], rows=s0                       wait(load.0)
loop:   run     acc[zero], sp[zero] accumulate
        addi    s0, s0, -1
        bnez    s0, loop
        run     acc[zero], sp[zero] accumulate
        halt

# expected:
#   overflow_runs.s:9:9: checker fault: int32 overflow in the accumulator
#       run acc[zero], sp[zero] accumulate
#   at cycle 44, array unit: a sum left the range of int32
#     accumulator row 0, column 0: 2,147,418,112 + 131,072 (products of this row) = 2,147,549,184; int32 ends at 2,147,483,647
#     it began with overflow_runs.s:6:9 (fill.w acc[zero], rows=s1, fill=t0), complete at cycle 25
#     then 2 times overflow_runs.s:9:9 (run acc[zero], sp[zero] accumulate), at last complete at cycle 60
#   likely fix: split K, or rescale
