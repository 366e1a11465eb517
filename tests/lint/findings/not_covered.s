# What lint can't look at: a machine that does not exist, a branch on the time, an endless case, instructions that no case reaches.
        .arg    n, value
        .case   lost, machine=no-such-machine, n=0
        .case   timed, machine=tiny-8, n=1
        .case   endless, machine=tiny-8, n=2
        larg    t0, args[n]
        li      t1, 1
        beq     t0, t1, time
        beqz    t0, end
        j       .
time:   rdcycle t0
        beqz    t0, end
end:    sync.load
        halt
# expected:
#   not_covered: not covered: case lost can't be set up: no-such-machine: no such preset (edge-16, server-128, tiny-8) and no such file
#   not_covered: not covered: case timed ends at not_covered.s:12: what follows depends on rdcycle
#   not_covered: not covered: case endless does not end: it still runs at not_covered.s:10
#   not_covered: not covered: no case dispatches 1 tensor instruction: not_covered.s:13
