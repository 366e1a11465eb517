# Nothing was preloaded.
        run     acc[zero], sp[zero]
        halt

# expected:
#   no_weights.s:2:9: dispatch fault: run before any preload of this launch
#       run acc[zero], sp[zero]
#   at cycle 0, sequencer unit: the array has no weights yet
#   likely fix: preload weights first
