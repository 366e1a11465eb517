        add     t0, t1
        add
        add     t0, t1, t2, t3
        addi    t0, t1, t2
        halt    wait(load.0)
        j       t0
        j
        li      t0, args[1]
        larg    t0, 5
        larg    t0, sp[t1]
        larg    t0, args[t0 + t1]
        larg    t0, args[1 - t1]
;| operands.s:1:23: error[E0202]: add lacks rs2
;|     1 |         add     t0, t1
;|       |                       ^
;|   help: form: add rd, rs1, rs2
;| operands.s:2:12: error[E0202]: add lacks rd, rs1, rs2
;|     2 |         add
;|       |            ^
;|   help: form: add rd, rs1, rs2
;| operands.s:3:29: error[E0203]: add takes 3 operands, found 4
;|     3 |         add     t0, t1, t2, t3
;|       |                             ^~
;|   help: form: add rd, rs1, rs2
;| operands.s:4:25: error[E0206]: expected a constant, found register t2
;|     4 |         addi    t0, t1, t2
;|       |                         ^~
;|   help: form: addi rd, rs1, imm
;| operands.s:5:17: error[E0203]: halt is a sequencer instruction: it takes no named operands, flags, wait or post
;|     5 |         halt    wait(load.0)
;|       |                 ^~~~~~~~~~~~
;|   help: form: halt
;| operands.s:6:17: error[E0206]: expected a label, found register t0
;|     6 |         j       t0
;|       |                 ^~
;|   help: form: j target
;| operands.s:7:10: error[E0202]: j lacks target
;|     7 |         j
;|       |          ^
;|   help: form: j target
;| operands.s:8:21: error[E0206]: expected a constant, found args[...]
;|     8 |         li      t0, args[1]
;|       |                     ^~~~~~~
;|   help: form: li rd, imm
;| operands.s:9:21: error[E0206]: expected args[index]
;|     9 |         larg    t0, 5
;|       |                     ^
;|   help: form: larg rd, args[index]
;| operands.s:10:21: error[E0206]: expected args[index]
;|    10 |         larg    t0, sp[t1]
;|       |                     ^~~~~~
;|   help: form: larg rd, args[index]
;| operands.s:11:31: error[E0206]: an index is one register plus a constant
;|    11 |         larg    t0, args[t0 + t1]
;|       |                               ^~
;|   help: form: larg rd, args[index]
;| operands.s:12:30: error[E0206]: an index is one register plus a constant
;|    12 |         larg    t0, args[1 - t1]
;|       |                              ^~
;|   help: form: larg rd, args[index]
;| 12 errors
