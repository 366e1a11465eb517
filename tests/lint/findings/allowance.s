# The first comment allows what is found, the second what is not.
        fill.b  sp[zero]        # lint: allow W0909 the next launch reads it
        sync.load               # lint: allow W0901, W0909 nothing of that kind
        halt
# expected:
#   allowance.s:3:33: warning[W0805]: this comment allows W0901, which is not found here
#       3 |         sync.load               # lint: allow W0901, W0909 nothing of that kind
#         |                                 ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#     help: delete the comment
#   allowance.s:3:33: warning[W0805]: this comment allows W0909, which is not found here
#       3 |         sync.load               # lint: allow W0901, W0909 nothing of that kind
#         |                                 ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#     help: delete the comment
#   2 warnings
