        .token  done = vector -> load.1     # nothing mentions it again
        halt
# expected:
#   --- unused.s
#   +++ unused.s
#   @@ -1,2 +1 @@
#   -        .token  done = vector -> load.1     # nothing mentions it again
#            halt
