# Runs past its end.
        nop

# expected:
#   no_halt: instruction 1: dispatch fault: fetch outside the program
#       (no instruction there)
#   at cycle 1, sequencer unit: instruction 1 of a program of 1
#   likely fix: end the program with halt; check branch targets
