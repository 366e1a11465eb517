# Different rows of bank 0: array and store both use its read port.
        .arg    x, in, s8[16, 16]
        .arg    y, out, s8[16, 16]
        .token  to_array = load -> array.0
        .token  to_store = load -> store.0
        larg    a0, args[x]
        larg    a1, args[y]
        li      t0, 16
        li      t1, 32
        load.b  sp[zero], dram[a0], bytes=t0, rows=t0, stride=t0
        fill.b  sp[t1], rows=t0  post(to_array, to_store)
        preload sp[t1], rows=t0  wait(to_array)
        store.b dram[a1], sp[zero], bytes=t0, rows=t0, stride=t0  wait(to_store)
        halt
# expected:
#   bank_conflict.s:13:9: warning[W0903]: 'store.b' may use the read port of scratchpad bank 0 while 'preload' holds it
#      13 |         store.b dram[a1], sp[zero], bytes=t0, rows=t0, stride=t0  wait(to_store)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#     help: post(store.0) there and wait(preload.0) here: a channel that is still unused
#   bank_conflict.s:12:9: note: used here, by the array unit; nothing orders the two
#      12 |         preload sp[t1], rows=t0  wait(to_array)
#         |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
#   1 warning
