# 2^31 - 1 plus a product.
        li      t0, 0x7fffffff
        li      t1, 1
        fill.w  acc[zero], fill=t0
        fill.b  sp[zero], fill=t1           post(array.0)
        preload sp[zero]                    wait(load.0)
        run     acc[zero], sp[zero] accumulate
        halt

# expected:
#   overflow.s:7:9: checker fault: int32 overflow in the accumulator
#       run acc[zero], sp[zero] accumulate
#   at cycle 33, array unit: a sum left the range of int32
#     accumulator row 0, column 0: 2,147,483,647 + 1 (products of this row) = 2,147,483,648; int32 ends at 2,147,483,647
#     it began with overflow.s:4:9 (fill.w acc[zero], fill=t0), complete at cycle 23
#   likely fix: split K, or rescale
