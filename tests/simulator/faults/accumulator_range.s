# A negative step leads below row 0.
        li      t0, 2
        li      t1, -1
        fill.w  acc[zero], rows=t0, step=t1
        halt

# expected:
#   accumulator_range.s:4:9: dispatch fault: walk outside the accumulator
#       fill.w acc[zero], rows=t0, step=t1
#   at cycle 2, sequencer unit: the walk of acc reaches row -1; rows are 0..511
#   likely fix: check base, counts and steps
