# Load and vector unit write the same bank, never at the same time here, but nothing makes it so.
        li      t0, 8
        li      t1, 256
        fill.b  sp[zero], rows=t0
        fill.w  acc[zero], rows=t0
        fence
        fill.b  sp[t1]
        li      t2, 200
pause:  addi    t2, t2, -1
        bnez    t2, pause
        li      t3, 127
        requantise sp[t0], acc[zero], params=sp[zero], rows=t0, min=zero, max=t3
        halt

# expected:
#   bank_order.s:12:9: checker fault: two units use the same port of a bank in no order
#       requantise sp[t0], acc[zero], params=sp[zero], rows=t0, min=zero, max=t3
#   at cycle 643, vector unit: the write port of scratchpad bank 0: unordered after bank_order.s:7:9 (fill.b sp[t1]), issued at cycle 41
#     this one writes scratchpad rows 8..15 of the bank, the other writes scratchpad row 256: two units may not use a port of a bank in one cycle
#   likely fix: use different banks, or post(vector.0) at bank_order.s:7:9, wait(load.0) at bank_order.s:12:9
