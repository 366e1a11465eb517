# One row more than the scratchpad has.
        li      t0, 2
        li      t1, 4095
        fill.b  sp[t1], rows=t0
        halt

# expected:
#   out_of_range.s:4:9: dispatch fault: walk outside the scratchpad
#       fill.b sp[t1], rows=t0
#   at cycle 2, sequencer unit: the walk of sp reaches row 4096; rows are 0..4095
#   likely fix: check base, counts and steps
