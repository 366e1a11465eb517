# convert: y = quantise(x) or dequantise(x), binary32 numbers to 8-bit ones or back, element by element
#
# A tensor is one run of elements, cut into tiles of a whole number of on-chip rows. Numbers pass through the accumulator, bytes through
# the scratchpad; each has two halves, the same rows in both memories, used in turn: no two units ever want one port.
#
#   load    tile i + 1
#   vector  tile i: all of it with one instruction
#   store   tile i - 1
#
# In program order every wait comes after its post: then no queue depth can deadlock.
#
# Registers
#   s0  elements that are left     s1 s2  elements and rows of a tile     s3  first row of the half     s4 .. s8  scalars of the operation
#   a0 a1  next element of x and y

.arg x,          in,  s8[*]             # quantise: binary32, else s8 or u8
.arg y_bytes,    value                  # size of the buffer that y lies in
.arg y,          out, s8[y_bytes]       # quantise: s8 or u8, else binary32
.arg elements,   value
.arg operation,  value                  # 0 quantise, 1 dequantise s8, 2 dequantise u8
.arg scale,      value                  # binary32
.arg zp,         value
.arg y_min,      value                  # quantise: bounds
.arg y_max,      value
.arg tile,       value                  # elements: tile_rows x lanes
.arg tile_rows,  value
.arg last_rows,  value                  # of the rest where elements end in a smaller tile

.token operands      = load -> vector.0
.token operands_free = vector -> load.0
.token results       = vector -> store.0
.token results_free  = store -> vector.0

        larg    s0, args[elements]
        larg    s1, args[tile]
        larg    s2, args[tile_rows]
        li      s3, 0
        larg    s4, args[operation]
        larg    s5, args[scale]
        larg    s6, args[zp]
        larg    s7, args[y_min]
        larg    s8, args[y_max]
        larg    a0, args[x]
        larg    a1, args[y]
        sync.vector post(operands_free)
        sync.vector post(operands_free)
        sync.store  post(results_free)
        sync.store  post(results_free)

# t0 elements of the tile: bytes of the 8-bit side, t1 bytes of the other, t2 rows
next_tile:
        min     t0, s0, s1
        slli    t1, t0, 2
        mv      t2, s2
        beq     t0, s1, rows_known
        larg    t2, args[last_rows]
rows_known:
        beqz    s4, quantise
        load.b  sp[s3], dram[a0], bytes=t0 wait(operands_free) post(operands)
        addi    t3, s4, -1
        bnez    t3, unsigned
        dequantise acc[s3], sp[s3], rows=t2, scale=s5, zp=s6 wait(operands, results_free) post(operands_free, results)
        j       store_numbers
unsigned:
        dequantise acc[s3], sp[s3], rows=t2, scale=s5, zp=s6 u8 wait(operands, results_free) post(operands_free, results)
store_numbers:
        store.w dram[a1], acc[s3], bytes=t1 wait(results) post(results_free)
        add     a0, a0, t0
        add     a1, a1, t1
        j       advance
quantise:
        load.w  acc[s3], dram[a0], bytes=t1 wait(operands_free) post(operands)
        quantise sp[s3], acc[s3], rows=t2, scale=s5, zp=s6, min=s7, max=s8 wait(operands, results_free) post(operands_free, results)
        store.b dram[a1], sp[s3], bytes=t0 wait(results) post(results_free)
        add     a0, a0, t1
        add     a1, a1, t0
advance:
        xor     s3, s3, s2
        sub     s0, s0, t0
        bnez    s0, next_tile

        sync.load   wait(operands_free)         # take the credits back
        sync.load   wait(operands_free)
        sync.vector wait(results_free)
        sync.vector wait(results_free)
        halt

# ------------------------------------------------------------------------------------------------ cases for the lint
# written by tests/lint/kernel_cases.py from the planners: small tiles, so that every loop turns and every credit comes round
.case edge_quantise, machine=edge-16, y_bytes=5000, elements=5000, operation=0, scale=1056964608, zp=3, y_min=-128, y_max=127, tile=1264
.case edge_quantise, tile_rows=79, last_rows=76
.case odd_quantise_u8, machine=odd-6.toml, y_bytes=1000, elements=1000, operation=0, scale=1056964608, zp=3, y_min=0, y_max=255, tile=276
.case odd_quantise_u8, tile_rows=46, last_rows=29
.case tiny_dequantise, machine=tiny-8, y_bytes=8400, elements=2100, operation=1, scale=1056964608, zp=3, y_min=-128, y_max=127, tile=512
.case tiny_dequantise, tile_rows=64, last_rows=7
.case serial_dequantise_u8, machine=serial-4.toml, y_bytes=800, elements=200, operation=2, scale=1056964608, zp=3, y_min=0, y_max=255
.case serial_dequantise_u8, tile=60, tile_rows=15, last_rows=5
