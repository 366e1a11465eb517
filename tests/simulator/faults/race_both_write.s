# Two units write the same accumulator rows.
        li      t0, 4
        li      t1, 0
        fill.b  sp[zero], rows=t0                       post(array.0)
        preload sp[zero]                                wait(load.0)
        run     acc[zero], sp[zero], rows=t0
        fill.w  acc[zero], rows=t0
        halt

# expected:
#   race_both_write.s:6:9: checker fault: two units access the same place in no order
#       run acc[zero], sp[zero], rows=t0
#   at cycle 35, array unit: accumulator row 0: unordered after race_both_write.s:7:9 (fill.w acc[zero], rows=t0), issued at cycle 7
#     both touch accumulator rows 0..3 (128 bytes): this one writes until cycle 55, the other writes until cycle 30
#     what stays there is what either writes, as timing has it
#   likely fix: post(load.0) at race_both_write.s:6:9, wait(run.0) at race_both_write.s:7:9
