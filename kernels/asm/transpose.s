# transpose: y[item, column, row] = x[item, row, column], matrices of bytes, on the array
#
# A block of lanes x lanes bytes is preloaded transposed and multiplied with the unit matrix: what comes out, requantised with a scale of
# 1, is the block with rows and columns exchanged. The DMA alone would move a byte a cycle.
#
# The work is cut into tiles of row_tile x column_tile bytes of x; the planner, kernels/transpose.py, chooses them.
#
#   load    tile i + 1
#   array   tile i: a preload and a run for each block
#   vector  tile i, from the accumulator to the outputs
#   store   tile i - 1
#
# Each region has two halves, used in turn. In program order every wait comes after its post: then no queue depth can deadlock. A sync
# at both ends of a tile drains the array; tiles are large. Unit matrix and parameters are loaded before the first tile, whose token
# covers them.
#
# Scratchpad regions (rows), in banks of their own:
#   tiles       [column blocks][row_tile]
#   unit        [lanes]                   row i has a 1 in lane i
#   parameters  [8]                       biases 0, scales 1
#   outputs     [row blocks][column_tile]
# Accumulator: as the outputs.
#
# Registers
#   s0 s1 s2   the next tile: item, first row and column of x     s3  its half
#   s4 s5      this tile: rows (0 before the first), columns      s6  DRAM address of its outputs
#   s7 s8 s9   columns that are left, scratchpad and accumulator row of a column block
#   a2 a3      this tile in the scratchpad and in the accumulator   a4 .. a7  lanes, row_tile, column_tile, unit

.arg x,          in,  s8[*]
.arg unit,       in,  s8[*]             # [lanes][lanes]
.arg parameters, in,  s32[*]
.arg y_bytes,    value
.arg y,          out, s8[y_bytes]
.arg items,      value
.arg rows,       value
.arg columns,    value
.arg item_bytes, value                  # rows * columns
.arg lanes,      value
.arg row_tile,   value                  # a multiple of the lanes, or all
.arg column_tile, value                 # the same
.arg row_blocks, value                  # of row_tile, and
.arg last_row_blocks, value             # of the rest where rows end in a smaller tile
.arg tile_base,  value
.arg tile_half,  value
.arg unit_base,  value
.arg parameter_base, value
.arg output_base, value
.arg output_half, value                 # in the accumulator, too

.token operands      = load -> array.0
.token operands_free = run -> load.0
.token sums          = run -> vector.0
.token sums_free     = vector -> array.0
.token outputs       = vector -> store.0
.token outputs_free  = store -> vector.0

.equ PARAMETER_ROWS, 8

        li      s0, 0
        li      s1, 0
        li      s2, 0
        li      s3, 0
        li      s4, 0
        larg    a4, args[lanes]
        larg    a5, args[row_tile]
        larg    a6, args[column_tile]
        larg    a7, args[unit_base]
        larg    t0, args[unit]
        load.b  sp[a7], dram[t0], bytes=a4, rows=a4, stride=a4
        larg    t0, args[parameters]
        larg    t1, args[parameter_base]
        li      t2, PARAMETER_ROWS
        load.b  sp[t1], dram[t0], bytes=a4, rows=t2, stride=a4
        sync.array  post(operands_free)
        sync.array  post(operands_free)
        sync.vector post(sums_free)
        sync.vector post(sums_free)
        sync.store  post(outputs_free)
        sync.store  post(outputs_free)

# ------------------------------------------------------------------------------------------------ one tile each time round
next_tile:
        larg    t0, args[items]
        bge     s0, t0, compute                 # no next tile
        call    shape
        larg    t2, args[tile_half]
        mul     t2, t2, s3
        larg    t3, args[tile_base]
        add     t2, t2, t3
        larg    t3, args[x]
        larg    t4, args[columns]
        larg    t5, args[item_bytes]
        mul     t5, t5, s0
        add     t3, t3, t5
        mul     t5, t4, s1
        add     t3, t3, t5
        add     t3, t3, s2
        load.b  sp[t2], dram[t3], bytes=t1, rows=t0, stride=t4, block_step=a5 wait(operands_free) post(operands)

# ------------------------------------------------------------------------------------------------ array: this tile
compute:
        beqz    s4, hand_over
        sync.array wait(operands, sums_free)
        xori    t0, s3, 1
        larg    a2, args[tile_half]
        mul     a2, a2, t0
        larg    t1, args[tile_base]
        add     a2, a2, t1
        larg    t2, args[output_half]           # t2 the half, of the accumulator and of the outputs
        mul     t2, t2, t0
        mv      a3, t2
        mv      s7, s5
        mv      s8, a2
        mv      s9, a3
column_block:
        min     t1, s7, a4
        mv      t3, s8
        mv      t4, s9
        mv      t6, s4
row_block:
        min     t5, t6, a4
        preload sp[t3], rows=t1, columns=t5 transposed
        run     acc[t4], sp[a7], rows=t1
        add     t3, t3, a4
        add     t4, t4, a6
        sub     t6, t6, t5
        bnez    t6, row_block
        add     s8, s8, a5
        add     s9, s9, a4
        sub     s7, s7, t1
        bnez    s7, column_block
        sync.array post(operands_free, sums)

# ------------------------------------------------------------------------------------------------ vector and store: this tile
        larg    t0, args[output_base]
        add     t0, t0, t2
        larg    t1, args[row_blocks]
        beq     s4, a5, blocks_known
        larg    t1, args[last_row_blocks]
blocks_known:
        larg    t2, args[parameter_base]
        li      t3, -128
        li      t4, 127
        requantise sp[t0], acc[a3], params=sp[t2], rows=s5, planes=t1, plane_step=a6, acc_plane_step=a6, min=t3, max=t4 wait(sums, outputs_free) post(sums_free, outputs)
        larg    t5, args[rows]
        store.b dram[s6], sp[t0], bytes=s4, rows=s5, stride=t5, block_step=a6 wait(outputs) post(outputs_free)
        larg    t0, args[items]
        bge     s0, t0, end

# ------------------------------------------------------------------------------------------------ the next tile becomes this tile
hand_over:
        call    shape
        mv      s4, t0
        mv      s5, t1
        larg    s6, args[y]
        larg    t4, args[rows]
        larg    t5, args[item_bytes]
        mul     t5, t5, s0
        add     s6, s6, t5
        mul     t5, t4, s2
        add     s6, s6, t5
        add     s6, s6, s1
        xori    s3, s3, 1
        larg    t1, args[columns]               # columns, then rows, items
        add     s2, s2, a6
        blt     s2, t1, next_tile
        li      s2, 0
        add     s1, s1, a5
        blt     s1, t4, next_tile
        li      s1, 0
        addi    s0, s0, 1
        j       next_tile

# ------------------------------------------------------------------------------------------------ end: take the credits back
end:
        sync.load   wait(operands_free)
        sync.load   wait(operands_free)
        sync.array  wait(sums_free)
        sync.array  wait(sums_free)
        sync.vector wait(outputs_free)
        sync.vector wait(outputs_free)
        halt

# ------------------------------------------------------------------------------------------------ shape of the next tile
# -> t0 rows, t1 columns; changes t6
shape:
        larg    t6, args[rows]
        sub     t6, t6, s1
        min     t0, t6, a5
        larg    t6, args[columns]
        sub     t6, t6, s2
        min     t1, t6, a6
        ret

# ------------------------------------------------------------------------------------------------ cases for the lint
# written by tests/lint/kernel_cases.py from the planners: small tiles, so that every loop turns and every credit comes round
.case edge_wide, machine=edge-16, y_bytes=60000, items=1, rows=50, columns=1200, item_bytes=60000, lanes=16, row_tile=32, column_tile=240
.case edge_wide, row_blocks=2, last_row_blocks=2, tile_base=0, tile_half=480, unit_base=2048, parameter_base=4096, output_base=6144
.case edge_wide, output_half=480
.case tiny_items, machine=tiny-8, y_bytes=1800, items=3, rows=20, columns=30, item_bytes=600, lanes=8, row_tile=20, column_tile=30
.case tiny_items, row_blocks=3, last_row_blocks=0, tile_base=0, tile_half=80, unit_base=512, parameter_base=1024, output_base=1536
.case tiny_items, output_half=90
.case odd_partial, machine=odd-6.toml, y_bytes=2600, items=1, rows=130, columns=20, item_bytes=2600, lanes=6, row_tile=36, column_tile=6
.case odd_partial, row_blocks=6, last_row_blocks=4, tile_base=0, tile_half=36, unit_base=131, parameter_base=262, output_base=393
.case odd_partial, output_half=36
