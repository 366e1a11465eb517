# The sums fit, but not with the biases of the parameter block.
        li      t0, 0x7fffff00
        li      t1, 0x7f
        li      s0, 8
        li      s1, 16
        fill.w  acc[zero], fill=t0, rows=s0
        fill.b  sp[zero], fill=t1, rows=s0              post(vector.0)
        requantise sp[s1], acc[zero], params=sp[zero], rows=s0, min=zero, max=t1  wait(load.0)
        halt

# expected:
#   overflow_bias.s:8:9: checker fault: int32 overflow in the accumulator
#       requantise sp[s1], acc[zero], params=sp[zero], rows=s0, min=zero, max=t1 wait(load.0)
#   at cycle 41, vector unit: a sum left the range of int32
#     accumulator row 0, column 0: 2,147,483,392 + 2,139,062,143 (the bias) = 4,286,545,535; int32 ends at 2,147,483,647
#     it began with overflow_bias.s:6:9 (fill.w acc[zero], rows=s0, fill=t0), complete at cycle 32
#   likely fix: split K, or rescale
