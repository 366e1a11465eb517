# Nothing to do is not a row count.
        fill.b  sp[zero], rows=t0
        halt

# expected:
#   zero_count.s:2:9: dispatch fault: count outside 1..65535
#       fill.b sp[zero], rows=t0
#   at cycle 0, sequencer unit: rows = 0, expected 1..65535
#   likely fix: skip the instruction when there is nothing to do
