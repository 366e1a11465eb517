# The program's own check.
        trap    42

# expected:
#   trap.s:2:9: dispatch fault: trap
#       trap 42
#   at cycle 0, sequencer unit: code 42
#   likely fix: the program asked for it: see the code beside it
