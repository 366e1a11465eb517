# The launch passes no argument.
        larg    a0, args[3]
        halt

# expected:
#   argument.s:2:9: dispatch fault: read past the launch's arguments
#       larg a0, args[3]
#   at cycle 0, sequencer unit: argument word 3, the launch passed 0
#   likely fix: pass the argument, or correct the index
