# Every tensor instruction. Answers follow from docs/adr/0001: opcode 7..0, wait 15..8, post 21..16, flags from 22, registers from 32.
        load.b sp[s0], dram[a0], bytes=t0                                      ; = 00000000 00000000 00002854 00000040
        load.b sp[s0], dram[a0], bytes=t0, rows=t1, stride=t2, step=t3, block_step=t4, planes=t5, plane_stride=t6, plane_step=t7, fill=t8 ; = 00000000 004a307b 9ac5a854 00000040
        load.b sp[s0], dram[a0], fill=s2, rows=t1, bytes=t0 wait(run.0) post(array.0) ; = 00000000 00580000 0005a854 00041040
        load.w acc[s0], dram[a0], bytes=t0, fill=t1 post(store.1, array.1, vector.1) ; = 00000000 002c0000 00002854 002a0041
        fill.b sp[s0], rows=t0, step=t1, planes=t2, plane_step=t3, fill=s2     ; = 00000000 00000000 2cd62d54 00000042
        fill.w acc[x0], rows=t0                                                ; = 00000000 00000000 00000140 00000043
        sync.load wait(store.0, store.1, preload.0, preload.1, run.0, run.1, vector.0, vector.1) ; = 00000000 00000000 00000000 0000ff4f
        store.b dram[a1], sp[s0], bytes=t0, rows=t1, stride=t2 wait(vector.0) post(vector.0) ; = 00000000 00000000 00c5aa83 00104050
        store.w dram[a1], acc[s0], bytes=t0, block_step=t9                     ; = 00000000 00000004 c0002a83 00000051
        sync.store post(load.0, load.1, array.0, array.1, vector.0, vector.1)  ; = 00000000 00000000 00000000 003f005f
        preload sp[s1], rows=t0, columns=t1, zp=a2 transposed wait(load.0) post(load.0) ; = 00000000 00000000 00402d55 00810160
        preload sp[s1], step=t1 u8, transposed                                 ; = 00000000 00000000 00058015 00c00060
        run acc[t4], sp[s3], rows=t0, step=t1, planes=t2, plane_step=t3, acc_step=t5, acc_plane_step=t6, zp=a3 accumulate wait(load.1) post(vector.0) ; = 00000000 00000583 dac5aaee 00900261
        run acc[t4], sp[s3] u8 accumulate, wait(vector.1), post(store.1)       ; = 00000000 00000000 000002ee 00c82061
        sync.array wait(vector.0) post(load.0, load.1)                         ; = 00000000 00000000 00000000 0003106f
        requantise sp[s5], acc[t4], params=sp[s9], rows=t0, zp=a4, min=a5, max=a6 wait(run.0) post(store.0) ; = 00000000 041cc000 000575d9 00044080
        requantise sp[s5], acc[t4], params=sp[s9], min=a5, max=a6, step=t1, acc_step=t2, planes=t3, plane_step=t5, acc_plane_step=t6 ; = 00000000 041c107b 58b075d9 00000080
        sync.vector wait(store.0) post(array.0)                                ; = 00000000 00000000 00000000 001004bf
