        .token  done = vector -> load.1     # nothing mentions it again
        halt
# expected:
#   token_unused.s:1:9: warning[W0803]: token 'done' is declared and never used
#       1 |         .token  done = vector -> load.1     # nothing mentions it again
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#     help: delete the declaration
#   1 warning
