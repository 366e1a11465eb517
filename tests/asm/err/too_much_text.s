        .data
        .rept   5000
        .asciz  "what stands in a loop is counted each time, what stands in a loop is counted each time, what stands in a loop is counted each time, "  # comments too
        .endr
        frob                            # what comes after is not read
;| too_much_text.s:2:9: error[E0703]: macros, repetitions and includes make more than 262144 characters
;|     2 |         .rept   5000
;|       |         ^~~~~~~~~~~~
;| 1 error
