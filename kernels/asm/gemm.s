# gemm: y[M, N] = requantise((a[M, K] - a_zp) @ (b[K, N] - b_zp))
#
# The work is cut into tiles of m_tile rows x block_tile column blocks of y (a block is as wide as the array), each tile into
# steps of k_tile along K. All that depends on the machine comes in arguments; the planner, kernels/gemm.py, chooses them.
#
#   load    step s + 1: a and b into one half of their scratchpad regions, and for a new tile its parameter blocks
#   array   step s: every b block of the step is preloaded once and a's rows of the same k are streamed through it
#   vector  a finished tile: accumulator -> requantise -> output region
#   store   output region -> DRAM
#
# Each region has two halves, used in turn, so that all four units work at the same time. Tokens say what is full, credits
# (`..._free`) what may be overwritten. In program order every wait comes after its post: then no queue depth can deadlock.
#
# Scratchpad regions (rows; `*_half` is the distance of the second half)
#   a           [k blocks][m_tile]            row m of k block: a[m0 + m, k0 + block * lanes ...]
#   b           [column blocks][depth]        row k of column block: b[k0 + k, n0 + block * lanes ...]
#   parameters  [column blocks][8]            as requantise reads them
#   outputs     [column blocks][rows]
#   extra       residual: [column blocks][rows]; or the table: 256 bytes, once
#   middle      [column blocks][rows], once
# Accumulator: [column blocks][rows], halves acc_half apart (0 if there is one only).
#
# An epilogue (a table, or the sum with a residual) works on a tile before it is stored.
#
# Registers
#   s0 s1 s2   the next step: its first row of y, column block, k        s3 s4  half of the next step, of the next tile
#   s5         1 while there is a next step
#   s6 s7 s8   this step: rows, column blocks, depth along K             s9     its k: 0 begins a tile
#   s10        K that comes after this step: 0 ends a tile               s11    DRAM address of the tile's outputs
#   a5 a6 a7   this step: bytes of an output row, half of the tile, half of the step

.arg a,          in,  s8[*]             # or u8, rows a_pitch bytes apart
.arg b,          in,  s8[*]             # or u8; packed: [column blocks][K][lanes] bytes, else rows b_row_pitch bytes apart
.arg parameters, in,  s32[*]            # [column blocks][biases, binary32 scales]
.arg M,          value
.arg N,          value
.arg K,          value
.arg y_pitch,    value
.arg y,          out, s8[M, y_pitch]    # or u8
.arg a_pitch,    value
.arg b_is_packed, value
.arg b_row_pitch, value                 # packed: lanes
.arg b_block_pitch, value               # bytes from a column block of b to the next. packed: K * lanes, else lanes
.arg a_is_unsigned, value
.arg b_is_unsigned, value
.arg a_zp,       value
.arg b_zp,       value
.arg y_zp,       value
.arg y_min,      value
.arg y_max,      value
.arg lanes,      value                  # bytes of a scratchpad row = rows = columns of the array
.arg blocks,     value                  # ceil(N / lanes)
.arg m_tile,     value
.arg block_tile, value
.arg k_tile,     value                  # a multiple of lanes, or at least K
.arg a_base,     value
.arg a_half,     value
.arg b_base,     value
.arg b_half,     value
.arg parameter_base, value
.arg parameter_half, value
.arg output_base, value
.arg output_half, value
.arg acc_half,   value                  # 0: the accumulator has one bank, and no halves
.arg ending,     value                  # how a tile ends: sum of the bits below, 0 for requantise and store
.arg extra,      in,  s8[*]             # or u8: the table of the epilogue, or the tensor that it adds, which lies like y
.arg extra_base, value
.arg middle_base, value                 # requantised tile before its epilogue
.arg left_scale, value                  # of the sum, as add.b takes them
.arg right_scale, value
.arg offset,     value
.arg sum_min,    value
.arg sum_max,    value

.token operands        = load -> array.0    # a and b of a step are in the scratchpad
.token operands_free   = run -> load.0
.token sums            = run -> vector.0    # a step has been added up
.token sums_free       = vector -> array.0  # an accumulator half has been read
.token parameters_full = load -> vector.0
.token parameters_free = vector -> load.0
.token outputs         = vector -> store.0
.token outputs_free    = store -> vector.0
.token residual_full   = load -> vector.1   # its credit is parameters_free: a tile's residual is loaded after its parameters

.equ PARAMETER_ROWS, 8
.equ IS_SERIAL, 1                       # bits of `ending`: regions share banks, so that vector and store work alone
.equ LOOKUP, 2                          # an epilogue: a table
.equ SUM, 4                             # an epilogue: a sum
.equ IS_U8, 8                           # of u8
.equ PRODUCT_IS_RIGHT, 16               # operand of the sum

# ------------------------------------------------------------------------------------------------ start: all halves are free
        li      s0, 0
        li      s1, 0
        li      s2, 0
        li      s3, 0
        li      s4, 0
        li      s5, 1
        sync.array  post(operands_free)
        sync.array  post(operands_free)
        sync.vector post(parameters_free, sums_free)
        sync.store  post(outputs_free)
        sync.store  post(outputs_free)
        larg    t0, args[acc_half]
        beqz    t0, one_acc_half
        sync.vector post(parameters_free, sums_free)
start:
        larg    t0, args[ending]
        andi    t0, t0, LOOKUP
        bnez    t0, load_table
first_load:
        call    load_step

# ------------------------------------------------------------------------------------------------ one step each time round
step:
        jal     t9, shape
        mv      s6, t0
        mv      s7, t1
        mv      a5, t2
        mv      s8, t3
        mv      a6, s4
        mv      a7, s3
        mv      s9, s2
        larg    t7, args[K]
        sub     s10, t7, s2
        sub     s10, s10, t3
        larg    t7, args[y_pitch]               # s11 = y + row * y_pitch + first column
        mul     t7, t7, s0
        larg    s11, args[y]
        add     s11, s11, t7
        add     s11, s11, t6

        # Advance to the next step: k, then column blocks, then rows.
        xori    s3, s3, 1
        larg    t0, args[k_tile]
        larg    t1, args[K]
        add     s2, s2, t0
        blt     s2, t1, load_next
        li      s2, 0
        xori    s4, s4, 1
        larg    t0, args[block_tile]
        larg    t1, args[blocks]
        add     s1, s1, t0
        blt     s1, t1, load_next
        li      s1, 0
        larg    t0, args[m_tile]
        larg    t1, args[M]
        add     s0, s0, t0
        blt     s0, t1, load_next
        li      s5, 0
        j       compute
load_next:
        call    load_step

# ------------------------------------------------------------------------------------------------ array: all products of a step
#   t0 a row of this k block       t1 b row of it in the first column block     t2 accumulator row of the first column block
#   t3 which loop of `products`    t4 depth that is left       t5 t7 b and accumulator row of a column block
#   t6 valid rows of the preload   t8 column blocks left       a0 b_zp   a1 a_zp   a2 lanes
compute:
        larg    t0, args[a_half]
        mul     t0, t0, a7
        larg    t4, args[a_base]
        add     t0, t0, t4
        larg    t1, args[b_half]
        mul     t1, t1, a7
        larg    t4, args[b_base]
        add     t1, t1, t4
        larg    t2, args[acc_half]
        mul     t2, t2, a6
        larg    a0, args[b_zp]
        larg    a1, args[a_zp]
        larg    a2, args[lanes]
        larg    t3, args[b_is_unsigned]         # t3 = ((b_is_unsigned * 2 + a_is_unsigned) * 2 + accumulate) * words of a loop
        slli    t3, t3, 1
        larg    t4, args[a_is_unsigned]
        add     t3, t3, t4
        muli    t3, t3, 2 * PRODUCT_WORDS
        mv      t4, s8
        # A sync would drain the array. A preload that the next one replaces waits as well, and its beats hide behind runs.
        beqz    s9, begin_tile
        preload sp[t1] wait(operands)
        addi    t3, t3, PRODUCT_WORDS
        li      t9, 0
        j       k_block
begin_tile:
        preload sp[t1] wait(operands, sums_free)
        li      t9, PRODUCT_WORDS               # overwrite in the first k block, accumulate from the second on
k_block:
        min     t6, a2, t4
        sub     t4, t4, t6
        mv      t5, t1
        mv      t7, t2
        mv      t8, s7
        bnez    t4, all_blocks
        addi    t8, t8, -1                      # the step's last run posts: it stands apart
        beqz    t8, last_product
all_blocks:
        jalr    zero, t3, products
k_block_end:
        beqz    t4, last_product
        add     t3, t3, t9
        li      t9, 0
        add     t1, t1, t6
        larg    t5, args[m_tile]
        add     t0, t0, t5
        j       k_block
last_product:
        jalr    zero, t3, products + PRODUCT_LAST

# ------------------------------------------------------------------------------------------------ vector and store: end of a tile
step_end:
        beqz    s10, tile_end
        sync.vector wait(sums)                  # K goes on: nothing to do with these sums yet
        j       next
tile_end:
        larg    a4, args[ending]
        bnez    a4, special_end
        larg    t0, args[output_half]
        mul     t0, t0, a6
        larg    t4, args[output_base]
        add     t0, t0, t4
        mv      t7, t0
        larg    t1, args[acc_half]
        mul     t1, t1, a6
        larg    t2, args[parameter_half]
        mul     t2, t2, a6
        larg    t4, args[parameter_base]
        add     t2, t2, t4
        larg    t3, args[y_zp]
        larg    t4, args[y_min]
        larg    t5, args[y_max]
        addi    t6, s7, -1
        beqz    t6, only_block
        requantise sp[t0], acc[t1], params=sp[t2], rows=s6, zp=t3, min=t4, max=t5 wait(sums, parameters_full, outputs_free)
next_block:
        add     t0, t0, s6
        add     t1, t1, s6
        addi    t2, t2, PARAMETER_ROWS
        addi    t6, t6, -1
        beqz    t6, last_block
        requantise sp[t0], acc[t1], params=sp[t2], rows=s6, zp=t3, min=t4, max=t5
        j       next_block
last_block:
        requantise sp[t0], acc[t1], params=sp[t2], rows=s6, zp=t3, min=t4, max=t5 post(parameters_free, sums_free, outputs)
        j       store_tile
only_block:
        requantise sp[t0], acc[t1], params=sp[t2], rows=s6, zp=t3, min=t4, max=t5 wait(sums, parameters_full, outputs_free) post(parameters_free, sums_free, outputs)
store_tile:
        larg    t1, args[y_pitch]
        store.b dram[s11], sp[t7], bytes=a5, rows=s6, stride=t1, block_step=s6 wait(outputs) post(outputs_free)
next:
        bnez    s5, step

# ------------------------------------------------------------------------------------------------ end: take the credits back
        sync.load   wait(operands_free, parameters_free)
        sync.load   wait(operands_free, parameters_free)
        sync.vector wait(outputs_free)
        sync.vector wait(outputs_free)
        sync.array  wait(sums_free)
        larg    t0, args[acc_half]
        beqz    t0, end
        sync.array  wait(sums_free)
end:
        halt

# ------------------------------------------------------------------------------------------------ what most launches do without
one_acc_half:
        sync.vector post(parameters_free)
        j       start
load_table:
        larg    t0, args[extra_base]
        larg    t1, args[extra]
        li      t2, 256
        load.b  sp[t0], dram[t1], bytes=t2      # its blocks lie in consecutive rows
        j       first_load

# A tile's residual, behind its parameters; t0 t1 t2 t5 as `shape` gives them.
load_residual:
        larg    t6, args[output_half]
        mul     t6, t6, s4
        larg    t4, args[extra_base]
        add     t6, t6, t4
        larg    t8, args[y_pitch]               # t7 = residual + row * y_pitch + first column
        mul     t7, t8, s0
        mul     t4, s1, t5
        add     t7, t7, t4
        larg    t4, args[extra]
        add     t7, t7, t4
        load.b  sp[t6], dram[t7], bytes=t2, rows=t0, stride=t8, block_step=t0 post(residual_full)
        ret

# The end of a tile that isn't plain. Instructions of the vector unit don't overlap, so a sync costs it a cycle, not the pipeline.
#   t0 output row   t1 accumulator row   t2 parameter row   t3 .. t6 scalars   t7 the tile's first output row   ra extra   a0 middle
#   a1 rows of the tile   a4 `ending`
special_end:
        andi    t8, a4, IS_SERIAL
        beqz    t8, special_places
        fence
special_places:
        larg    t1, args[acc_half]
        mul     t1, t1, a6
        larg    t2, args[parameter_half]
        mul     t2, t2, a6
        larg    t4, args[parameter_base]
        add     t2, t2, t4
        larg    ra, args[output_half]
        mul     ra, ra, a6
        larg    t0, args[output_base]
        add     t0, t0, ra
        mv      t7, t0
        larg    t4, args[extra_base]
        add     ra, ra, t4
        andi    t8, a4, SUM
        bnez    t8, wait_for_residual
        sync.vector wait(sums, parameters_full, outputs_free)
        j       special_requantise
wait_for_residual:
        sync.vector wait(sums, parameters_full, residual_full, outputs_free)
special_requantise:
        larg    t3, args[y_zp]
        larg    t4, args[y_min]
        larg    t5, args[y_max]
        larg    a0, args[middle_base]
        mul     a1, s6, s7
        andi    t8, a4, LOOKUP | SUM
        mv      t6, t7
        beqz    t8, requantise_block
        mv      t6, a0
requantise_block:
        requantise sp[t6], acc[t1], params=sp[t2], rows=s6, zp=t3, min=t4, max=t5
        add     t6, t6, s6
        add     t1, t1, s6
        addi    t2, t2, PARAMETER_ROWS
        addi    s7, s7, -1
        bnez    s7, requantise_block
        beqz    t8, special_outputs
        andi    t8, a4, SUM
        bnez    t8, sum_with
        larg    ra, args[extra_base]
        lookup  sp[t0], src=sp[a0], rows=a1, table=sp[ra]
        j       special_outputs
sum_with:
        larg    t1, args[left_scale]
        larg    t2, args[right_scale]
        larg    t3, args[offset]
        larg    t4, args[sum_min]
        larg    t5, args[sum_max]
        andi    t8, a4, PRODUCT_IS_RIGHT
        beqz    t8, sum_kind
        mv      t8, a0
        mv      a0, ra
        mv      ra, t8
sum_kind:
        andi    t8, a4, IS_U8
        bnez    t8, sum_u8
        add.b   sp[t0], left=sp[a0], right=sp[ra], rows=a1, left_scale=t1, right_scale=t2, offset=t3, min=t4, max=t5
        j       special_outputs
sum_u8:
        add.b   sp[t0], left=sp[a0], right=sp[ra], rows=a1, left_scale=t1, right_scale=t2, offset=t3, min=t4, max=t5 u8
special_outputs:
        sync.vector post(parameters_free, sums_free, outputs)
        andi    t8, a4, IS_SERIAL
        beqz    t8, special_store
        fence
special_store:
        larg    t1, args[y_pitch]
        store.b dram[s11], sp[t7], bytes=a5, rows=s6, stride=t1, block_step=s6 wait(outputs) post(outputs_free)
        beqz    t8, next
        fence
        j       next

# ------------------------------------------------------------------------------------------------ shape of the next step
# -> t0 rows, t1 column blocks, t2 bytes of an output row, t3 depth, t5 lanes, t6 first column; returns to t9, changes t4
shape:
        larg    t0, args[m_tile]
        larg    t4, args[M]
        sub     t4, t4, s0
        min     t0, t0, t4
        larg    t1, args[block_tile]
        larg    t4, args[blocks]
        sub     t4, t4, s1
        min     t1, t1, t4
        larg    t5, args[lanes]
        mul     t6, s1, t5
        mul     t2, t1, t5
        larg    t4, args[N]
        sub     t4, t4, t6
        min     t2, t2, t4
        larg    t3, args[k_tile]
        larg    t4, args[K]
        sub     t4, t4, s2
        min     t3, t3, t4
        jalr    zero, t9, 0

# ------------------------------------------------------------------------------------------------ load: operands of the next step
load_step:
        jal     t9, shape
        larg    t6, args[b_half]
        mul     t6, t6, s3
        larg    t4, args[b_base]
        add     t6, t6, t4
        larg    t8, args[b_block_pitch]         # t7 = b + k * b_row_pitch + column block * b_block_pitch
        mul     t7, t8, s1
        larg    t9, args[b_row_pitch]
        mul     t4, t9, s2
        add     t7, t7, t4
        larg    t4, args[b]
        add     t7, t7, t4
        larg    a0, args[b_zp]                  # lanes past N accumulate 0, so they can't overflow
        mv      a1, t2                          # not packed: rows of several column blocks
        li      a2, 1
        larg    t4, args[b_is_packed]
        beqz    t4, load_b
        mv      a1, t5                          # packed: a plane for each column block
        mv      a2, t1
load_b:
        load.b  sp[t6], dram[t7], bytes=a1, rows=t3, stride=t9, block_step=t3, planes=a2, plane_stride=t8, plane_step=t3, fill=a0 wait(operands_free)
        larg    t6, args[a_half]
        mul     t6, t6, s3
        larg    t4, args[a_base]
        add     t6, t6, t4
        larg    t8, args[a_pitch]               # t7 = a + row * a_pitch + k
        mul     t7, t8, s0
        add     t7, t7, s2
        larg    t4, args[a]
        add     t7, t7, t4
        larg    t9, args[m_tile]
        load.b  sp[t6], dram[t7], bytes=t3, rows=t0, stride=t8, block_step=t9 post(operands)
        beqz    s2, load_parameters
        ret
load_parameters:
        larg    t6, args[parameter_half]
        mul     t6, t6, s4
        larg    t4, args[parameter_base]
        add     t6, t6, t4
        slli    t7, s1, 3                       # PARAMETER_ROWS rows of lanes bytes for a column block
        mul     t7, t7, t5
        larg    t4, args[parameters]
        add     t7, t7, t4
        slli    t8, t1, 3
        load.b  sp[t6], dram[t7], bytes=t5, rows=t8, stride=t5 wait(parameters_free) post(parameters_full)
        larg    t6, args[ending]
        andi    t6, t6, SUM
        bnez    t6, load_residual
        ret

# ------------------------------------------------------------------------------------------------ products
# A run's flags stand in its word, so each kind has its own loop over the t8 column blocks of a k block, and behind it the product
# that ends a step. Order: signs of b and a (ss, su, us, uu), overwrite before accumulate.
.equ PRODUCT_WORDS, 10
.equ PRODUCT_LAST, 7
products:
b_s8_a_s8:
        preload sp[t5], rows=t6, columns=a2, zp=a0
        run     acc[t7], sp[t0], rows=s6, zp=a1
        add     t5, t5, s8
        add     t7, t7, s6
        addi    t8, t8, -1
        bnez    t8, b_s8_a_s8
        j       k_block_end
        preload sp[t5], rows=t6, columns=a2, zp=a0
        run     acc[t7], sp[t0], rows=s6, zp=a1 post(operands_free, sums)
        j       step_end
b_s8_a_s8_add:
        preload sp[t5], rows=t6, columns=a2, zp=a0
        run     acc[t7], sp[t0], rows=s6, zp=a1 accumulate
        add     t5, t5, s8
        add     t7, t7, s6
        addi    t8, t8, -1
        bnez    t8, b_s8_a_s8_add
        j       k_block_end
        preload sp[t5], rows=t6, columns=a2, zp=a0
        run     acc[t7], sp[t0], rows=s6, zp=a1 accumulate post(operands_free, sums)
        j       step_end
b_s8_a_u8:
        preload sp[t5], rows=t6, columns=a2, zp=a0
        run     acc[t7], sp[t0], rows=s6, zp=a1 u8
        add     t5, t5, s8
        add     t7, t7, s6
        addi    t8, t8, -1
        bnez    t8, b_s8_a_u8
        j       k_block_end
        preload sp[t5], rows=t6, columns=a2, zp=a0
        run     acc[t7], sp[t0], rows=s6, zp=a1 u8 post(operands_free, sums)
        j       step_end
b_s8_a_u8_add:
        preload sp[t5], rows=t6, columns=a2, zp=a0
        run     acc[t7], sp[t0], rows=s6, zp=a1 u8 accumulate
        add     t5, t5, s8
        add     t7, t7, s6
        addi    t8, t8, -1
        bnez    t8, b_s8_a_u8_add
        j       k_block_end
        preload sp[t5], rows=t6, columns=a2, zp=a0
        run     acc[t7], sp[t0], rows=s6, zp=a1 u8 accumulate post(operands_free, sums)
        j       step_end
b_u8_a_s8:
        preload sp[t5], rows=t6, columns=a2, zp=a0 u8
        run     acc[t7], sp[t0], rows=s6, zp=a1
        add     t5, t5, s8
        add     t7, t7, s6
        addi    t8, t8, -1
        bnez    t8, b_u8_a_s8
        j       k_block_end
        preload sp[t5], rows=t6, columns=a2, zp=a0 u8
        run     acc[t7], sp[t0], rows=s6, zp=a1 post(operands_free, sums)
        j       step_end
b_u8_a_s8_add:
        preload sp[t5], rows=t6, columns=a2, zp=a0 u8
        run     acc[t7], sp[t0], rows=s6, zp=a1 accumulate
        add     t5, t5, s8
        add     t7, t7, s6
        addi    t8, t8, -1
        bnez    t8, b_u8_a_s8_add
        j       k_block_end
        preload sp[t5], rows=t6, columns=a2, zp=a0 u8
        run     acc[t7], sp[t0], rows=s6, zp=a1 accumulate post(operands_free, sums)
        j       step_end
b_u8_a_u8:
        preload sp[t5], rows=t6, columns=a2, zp=a0 u8
        run     acc[t7], sp[t0], rows=s6, zp=a1 u8
        add     t5, t5, s8
        add     t7, t7, s6
        addi    t8, t8, -1
        bnez    t8, b_u8_a_u8
        j       k_block_end
        preload sp[t5], rows=t6, columns=a2, zp=a0 u8
        run     acc[t7], sp[t0], rows=s6, zp=a1 u8 post(operands_free, sums)
        j       step_end
b_u8_a_u8_add:
        preload sp[t5], rows=t6, columns=a2, zp=a0 u8
        run     acc[t7], sp[t0], rows=s6, zp=a1 u8 accumulate
        add     t5, t5, s8
        add     t7, t7, s6
        addi    t8, t8, -1
        bnez    t8, b_u8_a_u8_add
        j       k_block_end
        preload sp[t5], rows=t6, columns=a2, zp=a0 u8
        run     acc[t7], sp[t0], rows=s6, zp=a1 u8 accumulate post(operands_free, sums)
        j       step_end

# ------------------------------------------------------------------------------------------------ cases for the lint
# written by tests/lint/kernel_cases.py from the planners: small tiles, so that every loop turns and every credit comes round
.case edge_ss, machine=edge-16, M=45, N=70, K=90, y_pitch=70, a_pitch=90, b_is_packed=1, b_row_pitch=16, b_block_pitch=1440
.case edge_ss, a_is_unsigned=0, b_is_unsigned=0, a_zp=5, b_zp=3, y_zp=-1, y_min=-128, y_max=127, lanes=16, blocks=5, m_tile=15
.case edge_ss, block_tile=2, k_tile=32, a_base=0, a_half=30, b_base=2048, b_half=64, parameter_base=4096, parameter_half=16
.case edge_ss, output_base=6144, output_half=30, acc_half=512, ending=0, extra_base=4128, middle_base=6144, left_scale=0, right_scale=0
.case edge_ss, offset=0, sum_min=0, sum_max=0
.case edge_su, machine=edge-16, M=45, N=20, K=90, y_pitch=20, a_pitch=90, b_is_packed=0, b_row_pitch=20, b_block_pitch=16, a_is_unsigned=1
.case edge_su, b_is_unsigned=0, a_zp=5, b_zp=3, y_zp=-1, y_min=-128, y_max=127, lanes=16, blocks=2, m_tile=15, block_tile=1, k_tile=32
.case edge_su, a_base=0, a_half=30, b_base=2048, b_half=32, parameter_base=4096, parameter_half=8, output_base=6144, output_half=15
.case edge_su, acc_half=512, ending=0, extra_base=4112, middle_base=6144, left_scale=0, right_scale=0, offset=0, sum_min=0, sum_max=0
.case tiny_us, machine=tiny-8, M=20, N=30, K=40, y_pitch=30, a_pitch=40, b_is_packed=0, b_row_pitch=30, b_block_pitch=8, a_is_unsigned=0
.case tiny_us, b_is_unsigned=1, a_zp=5, b_zp=3, y_zp=-1, y_min=-128, y_max=127, lanes=8, blocks=4, m_tile=7, block_tile=2, k_tile=16
.case tiny_us, a_base=0, a_half=14, b_base=512, b_half=32, parameter_base=1024, parameter_half=16, output_base=1536, output_half=14
.case tiny_us, acc_half=256, ending=0, extra_base=1056, middle_base=1536, left_scale=0, right_scale=0, offset=0, sum_min=0, sum_max=0
.case tiny_uu, machine=tiny-8, M=20, N=30, K=40, y_pitch=30, a_pitch=40, b_is_packed=0, b_row_pitch=30, b_block_pitch=8, a_is_unsigned=1
.case tiny_uu, b_is_unsigned=1, a_zp=5, b_zp=3, y_zp=-1, y_min=-128, y_max=127, lanes=8, blocks=4, m_tile=7, block_tile=2, k_tile=8
.case tiny_uu, a_base=0, a_half=7, b_base=512, b_half=16, parameter_base=1024, parameter_half=16, output_base=1536, output_half=14
.case tiny_uu, acc_half=256, ending=0, extra_base=1056, middle_base=1536, left_scale=0, right_scale=0, offset=0, sum_min=0, sum_max=0
.case tiny_one_step, machine=tiny-8, M=20, N=30, K=11, y_pitch=30, a_pitch=11, b_is_packed=0, b_row_pitch=30, b_block_pitch=8
.case tiny_one_step, a_is_unsigned=1, b_is_unsigned=1, a_zp=5, b_zp=3, y_zp=-1, y_min=-128, y_max=127, lanes=8, blocks=4, m_tile=7
.case tiny_one_step, block_tile=2, k_tile=11, a_base=0, a_half=14, b_base=512, b_half=22, parameter_base=1024, parameter_half=16
.case tiny_one_step, output_base=1536, output_half=14, acc_half=256, ending=0, extra_base=1056, middle_base=1536, left_scale=0
.case tiny_one_step, right_scale=0, offset=0, sum_min=0, sum_max=0
.case tiny_wide, machine=tiny-8, M=10, N=40, K=6, y_pitch=40, a_pitch=6, b_is_packed=0, b_row_pitch=40, b_block_pitch=8, a_is_unsigned=1
.case tiny_wide, b_is_unsigned=0, a_zp=5, b_zp=3, y_zp=-1, y_min=-128, y_max=127, lanes=8, blocks=5, m_tile=5, block_tile=3, k_tile=6
.case tiny_wide, a_base=0, a_half=5, b_base=512, b_half=18, parameter_base=1024, parameter_half=24, output_base=1536, output_half=15
.case tiny_wide, acc_half=256, ending=0, extra_base=1072, middle_base=1536, left_scale=0, right_scale=0, offset=0, sum_min=0, sum_max=0
.case odd_wide, machine=odd-6.toml, M=13, N=17, K=5, y_pitch=17, a_pitch=5, b_is_packed=1, b_row_pitch=6, b_block_pitch=30
.case odd_wide, a_is_unsigned=0, b_is_unsigned=0, a_zp=5, b_zp=3, y_zp=-1, y_min=-128, y_max=127, lanes=6, blocks=3, m_tile=5
.case odd_wide, block_tile=3, k_tile=5, a_base=0, a_half=5, b_base=131, b_half=15, parameter_base=262, parameter_half=24, output_base=393
.case odd_wide, output_half=15, acc_half=31, ending=0, extra_base=310, middle_base=393, left_scale=0, right_scale=0, offset=0, sum_min=0
.case odd_wide, sum_max=0
.case odd_ss, machine=odd-6.toml, M=20, N=15, K=20, y_pitch=15, a_pitch=20, b_is_packed=0, b_row_pitch=15, b_block_pitch=6
.case odd_ss, a_is_unsigned=0, b_is_unsigned=0, a_zp=5, b_zp=3, y_zp=-1, y_min=-128, y_max=127, lanes=6, blocks=3, m_tile=5, block_tile=2
.case odd_ss, k_tile=12, a_base=0, a_half=10, b_base=131, b_half=24, parameter_base=262, parameter_half=16, output_base=393
.case odd_ss, output_half=10, acc_half=31, ending=0, extra_base=294, middle_base=393, left_scale=0, right_scale=0, offset=0, sum_min=0
.case odd_ss, sum_max=0
.case serial_us, machine=serial-4.toml, M=9, N=10, K=11, y_pitch=10, a_pitch=11, b_is_packed=0, b_row_pitch=10, b_block_pitch=4
.case serial_us, a_is_unsigned=0, b_is_unsigned=1, a_zp=5, b_zp=3, y_zp=-1, y_min=-128, y_max=127, lanes=4, blocks=3, m_tile=3
.case serial_us, block_tile=2, k_tile=4, a_base=0, a_half=3, b_base=6, b_half=8, parameter_base=22, parameter_half=16, output_base=54
.case serial_us, output_half=6, acc_half=0, ending=1, extra_base=54, middle_base=54, left_scale=0, right_scale=0, offset=0, sum_min=0
.case serial_us, sum_max=0
.case edge_table, machine=edge-16, M=45, N=70, K=20, y_pitch=70, a_pitch=20, b_is_packed=1, b_row_pitch=16, b_block_pitch=320
.case edge_table, a_is_unsigned=0, b_is_unsigned=0, a_zp=5, b_zp=3, y_zp=-1, y_min=-128, y_max=127, lanes=16, blocks=5, m_tile=15
.case edge_table, block_tile=2, k_tile=20, a_base=0, a_half=30, b_base=2048, b_half=40, parameter_base=4096, parameter_half=16
.case edge_table, output_base=8192, output_half=30, acc_half=512, ending=2, extra_base=4128, middle_base=6144, left_scale=0, right_scale=0
.case edge_table, offset=0, sum_min=0, sum_max=0
.case tiny_sum, machine=tiny-8, M=20, N=30, K=11, y_pitch=30, a_pitch=11, b_is_packed=0, b_row_pitch=30, b_block_pitch=8, a_is_unsigned=0
.case tiny_sum, b_is_unsigned=0, a_zp=5, b_zp=3, y_zp=-1, y_min=-128, y_max=127, lanes=8, blocks=4, m_tile=7, block_tile=2, k_tile=8
.case tiny_sum, a_base=0, a_half=7, b_base=512, b_half=16, parameter_base=1024, parameter_half=16, output_base=2048, output_half=14
.case tiny_sum, acc_half=256, ending=36, extra_base=1056, middle_base=1536, left_scale=1059760811, right_scale=1051372203
.case tiny_sum, offset=1070945622, sum_min=-128, sum_max=127
.case odd_sum, machine=odd-6.toml, M=13, N=17, K=5, y_pitch=17, a_pitch=5, b_is_packed=1, b_row_pitch=6, b_block_pitch=30, a_is_unsigned=0
.case odd_sum, b_is_unsigned=0, a_zp=5, b_zp=3, y_zp=1, y_min=0, y_max=255, lanes=6, blocks=3, m_tile=5, block_tile=3, k_tile=5, a_base=0
.case odd_sum, a_half=5, b_base=131, b_half=15, parameter_base=262, parameter_half=24, output_base=524, output_half=15, acc_half=31
.case odd_sum, ending=60, extra_base=310, middle_base=393, left_scale=1059760811, right_scale=1051372203, offset=-1096111440, sum_min=0
.case odd_sum, sum_max=255
.case serial_sum, machine=serial-4.toml, M=9, N=10, K=11, y_pitch=10, a_pitch=11, b_is_packed=0, b_row_pitch=10, b_block_pitch=4
.case serial_sum, a_is_unsigned=0, b_is_unsigned=1, a_zp=5, b_zp=3, y_zp=-1, y_min=-128, y_max=127, lanes=4, blocks=3, m_tile=3
.case serial_sum, block_tile=2, k_tile=4, a_base=0, a_half=3, b_base=6, b_half=8, parameter_base=22, parameter_half=16, output_base=72
.case serial_sum, output_half=6, acc_half=0, ending=37, extra_base=54, middle_base=66, left_scale=1059760811, right_scale=1051372203
.case serial_sum, offset=1070945622, sum_min=-128, sum_max=127
