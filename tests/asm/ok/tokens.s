# Token names stand for a channel on both of its ends. Comments in all three styles.
        .token full = load -> array.1           // load.1 where it is waited for, array.1 where it is posted
        .token empty = preload -> load.0        ; preload.0 and load.0
        load.b sp[x0], dram[x0], bytes=x0 wait(empty) post(full)        ; = 00000000 00000000 00000000 00080440
        preload sp[x0] wait(full) post(empty)                           ; = 00000000 00000000 00000000 00010260
        sync.load wait(preload.0)                                       ; = 00000000 00000000 00000000 0000044f
        sync.load post(array.1)                                         ; = 00000000 00000000 00000000 0008004f
