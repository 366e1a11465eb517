# Never halts.
loop:   j       loop

# expected:
#   endless.s:2:9: cycle bound: the program had not ended after 100000 cycles; it was about to dispatch
#       j .
#   likely fix: look for a loop that never ends, or raise the bound (--max-cycles)
