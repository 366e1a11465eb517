# conv2d: y = requantise(convolution of (x - x_zp) with (w - w_zp)), NHWC, any kernel size, strides, padding, dilations and groups
#
# No im2col copy: the tile's part of x lies in the scratchpad as it is, a row for each pixel, and for every tap of the kernel a run
# walks it from another first row: `rows` along x, `planes` along y, steps as large as the strides. Padding is made of rows filled with
# the zero point of x, which multiply to nothing.
#
# The work is cut into tiles of height_tile x width_tile pixels x block_tile column blocks of y (a block is as wide as the array), each
# tile into steps of channel_tile input channels. Groups come one after another, as if each were a convolution of its own. All that depends on the machine comes in arguments; the planner, kernels/conv2d.py,
# chooses them.
#
#   load    step s + 1: weights, padding and x into one half of their scratchpad regions, and for a new tile its parameter blocks
#   array   step s: every weight block of the step is preloaded once and the tile's pixels are streamed through it
#   vector  a finished tile: accumulator -> requantise -> output region
#   store   output region -> DRAM
#
# Each region has two halves, used in turn, so that all four units work at the same time. Tokens say what is full, credits
# (`..._free`) what may be overwritten. In program order every wait comes after its post: then no queue depth can deadlock.
#
# Scratchpad regions (rows; `*_half` is the distance of the second half)
#   x           [channel blocks][x_height][x_width]       the pixels that a full tile needs; a smaller one leaves rows unused
#   w           [column blocks][channel blocks][taps][channels of the block]
#   parameters  [column blocks][8]                        as requantise reads them
#   outputs     [column blocks][pixels]
#   extra       residual: [column blocks][pixels]; or the table: 256 bytes, once
#   middle      [column blocks][pixels], once
# Accumulator: [column blocks][pixels], halves acc_half apart (0 if there is one only).
#
# An epilogue (a table, or the sum with a residual) works on a tile before it is stored. x and y may stay in the scratchpad from launch
# to launch, in frames [channel blocks][rows and pixels, padding included]: then nothing of them is loaded or stored.
#
# Registers
#   s0 .. s4   the next step: image, first y and x of the output tile, column block, channel
#   s5         bits: half of the next step (1), of the next tile (2); this step begins a tile (4), ends one (8); above: the next step's group
#   s6 s7      this step: height and width of the output tile            s8 s9  column blocks (0 before the first step), their bytes
#              above 16 bits of s9, if x stays: rows from its first to the step's first
#   s10        this step: channels                                       s11    DRAM address of the tile's outputs
#              if y stays: their first row, bit 31 in the first tile of a column block

.arg x,          in,  s8[*]             # or u8, NHWC with the pitches below
.arg w,          in,  s8[*]             # [column blocks][channel blocks][taps][channels of the block][lanes]
.arg parameters, in,  s32[*]            # [column blocks][biases, binary32 scales]
.arg images,     value
.arg y_image_pitch, value
.arg y,          out, s8[images, y_image_pitch] # or u8
.arg y_row_pitch, value
.arg y_pixel_pitch, value
.arg x_image_pitch, value
.arg x_row_pitch, value
.arg x_pixel_pitch, value
.arg height,     value                  # of x
.arg width,      value
.arg channels,   value                  # of a group, as outputs and blocks are
.arg groups,     value
.arg kernel_width, value                # in taps
.arg span_height, value                 # in rows and pixels of x: (taps - 1) * dilation + 1
.arg span_width, value
.arg taps,       value                  # of all the kernel
.arg stride_y,   value
.arg stride_x,   value
.arg dilation_x, value
.arg pad_top,    value                  # bottom and right follow from the size of y
.arg pad_left,   value
.arg out_height, value                  # of y
.arg out_width,  value
.arg outputs,    value                  # channels of y in a group
.arg x_is_unsigned, value
.arg x_zp,       value
.arg w_zp,       value
.arg y_zp,       value
.arg y_min,      value
.arg y_max,      value
.arg lanes,      value                  # bytes of a scratchpad row = rows = columns of the array
.arg blocks,     value                  # ceil(outputs / lanes)
.arg height_tile, value
.arg width_tile, value
.arg block_tile, value
.arg channel_tile, value                # a multiple of lanes, or at least channels
.arg x_width,    value                  # (width_tile - 1) * stride_x + span_width
.arg x_block_rows, value                # x_height * x_width
.arg x_blocks,   value                  # ceil(channel_tile / lanes)
.arg x_height_all, value                # x_blocks * x_height
.arg x_plane_step, value                # stride_y * x_width
.arg x_next_row, value                  # dilation_y * x_width - kernel_width * dilation_x: from behind a row of taps to the next
.arg x_next_block, value                # from behind the taps to the next channel block
.arg x_base,     value
.arg x_half,     value
.arg w_base,     value
.arg w_half,     value
.arg parameter_base, value
.arg parameter_half, value
.arg output_base, value
.arg output_half, value
.arg acc_half,   value                  # 0: the accumulator has one bank, and no halves
.arg ending,     value                  # how a tile ends: sum of the bits below, 0 for requantise and store
.arg extra,      in,  s8[*]             # or u8: the table of the epilogue, or the tensor that it adds, which lies like y
.arg extra_base, value                  # if it stays: rows from y to it
.arg middle_base, value                 # requantised tile before its epilogue
.arg left_scale, value                  # of the sum, as add.b takes them
.arg right_scale, value
.arg offset,     value
.arg sum_min,    value
.arg sum_max,    value
.arg special,    value                  # sum of 1: x lies in the scratchpad, 2: y stays there (groups and images are 1 then), 4: a table
.arg x_step_rows, value                 # if x stays: rows from a step's channels to the next step's
.arg y_block_rows, value                # if y stays: rows of a column block's frame; y_row_pitch counts rows, output_base is the first pixel
.arg y_frame_height, value              # rows of the frame, and rows that are border: before the first pixel, between the last of a row
.arg y_corner,   value                  # and the first of the next, behind the last pixel
.arg y_gap,      value
.arg y_foot,     value
.arg y_border,   value                  # byte of the border

.token operands        = load -> array.0    # x and w of a step are in the scratchpad
.token operands_free   = run -> load.0
.token sums            = run -> vector.0    # a step has been added up
.token sums_free       = vector -> array.0  # an accumulator half has been read
.token parameters_full = load -> vector.0
.token parameters_free = vector -> load.0
.token results         = vector -> store.0
.token results_free    = store -> vector.0
.token residual_full   = load -> vector.1   # its credit is parameters_free: a tile's residual is loaded after its parameters

.equ PARAMETER_ROWS, 8
.equ TILE_HALF, 2
.equ BEGINS_TILE, 4
.equ ENDS_TILE, 8
.equ GROUP, 4                           # first bit of the group
.equ IS_SERIAL, 1                       # bits of `ending`: regions share banks, so that vector and store work alone
.equ LOOKUP, 2                          # an epilogue: a table
.equ SUM, 4                             # an epilogue: a sum
.equ IS_U8, 8                           # of u8
.equ PRODUCT_IS_RIGHT, 16               # operand of the sum
.equ LOADS_RESIDUAL, 32                 # of a tensor in DRAM; else it lies in the scratchpad, in a frame like y's
.equ Y_STAYS, 64
.equ X_STAYS, 128
.equ SPECIAL_X, 1                       # bits of `special`
.equ SPECIAL_Y, 2
.equ SPECIAL_TABLE, 4

# ------------------------------------------------------------------------------------------------ start: all halves are free
        li      s0, 0
        li      s1, 0
        li      s2, 0
        li      s3, 0
        li      s4, 0
        li      s5, 0
        li      s8, 0
        sync.array  post(operands_free)
        sync.array  post(operands_free)
        sync.vector post(parameters_free, sums_free)
        sync.store  post(results_free)
        sync.store  post(results_free)
        larg    t0, args[acc_half]
        beqz    t0, one_acc_half
        sync.vector post(parameters_free, sums_free)

# ------------------------------------------------------------------------------------------------ one step each time round
step:
        larg    t0, args[images]
        bge     s0, t0, compute                 # no next step

# ------------------------------------------------------------------------------------------------ load: operands of the next step
        call    shape
        larg    t3, args[special]
        bnez    t3, special_load
load_x:
        andi    a0, s5, 1
        larg    t3, args[x_half]                # t3 first row of x in this half
        mul     t3, t3, a0
        larg    t6, args[x_base]
        add     t3, t3, t6
        # Whatever comes first waits. A sync would drain the pipeline; a row that is written again costs one beat.
        # lint: allow W0909 it is here for its wait
        fill.b  sp[t3] wait(operands_free)

        # Vertically, of t8 rows of x from row t7 on the first t9 and the last a1 are padding, and a2 are not.
        larg    t6, args[stride_y]
        mul     t7, s1, t6
        larg    t8, args[pad_top]
        sub     t7, t7, t8
        addi    t8, t0, -1
        mul     t8, t8, t6
        larg    t6, args[span_height]
        add     t8, t8, t6
        sub     t9, zero, t7
        max     t9, t9, zero
        min     t9, t9, t8
        larg    t6, args[height]
        add     a1, t7, t8
        sub     a1, a1, t6
        max     a1, a1, zero
        sub     a2, t8, t9
        min     a1, a1, a2
        sub     a2, a2, a1
        # Horizontally, of a4 pixels from a3 on the first a5 and the last a6 are padding, and a7 are not.
        larg    t6, args[stride_x]
        mul     a3, s2, t6
        larg    a4, args[pad_left]
        sub     a3, a3, a4
        addi    a4, t1, -1
        mul     a4, a4, t6
        larg    t6, args[span_width]
        add     a4, a4, t6
        sub     a5, zero, a3
        max     a5, a5, zero
        min     a5, a5, a4
        larg    t6, args[width]
        add     a6, a3, a4
        sub     a6, a6, t6
        max     a6, a6, zero
        sub     a7, a4, a5
        min     a6, a6, a7
        sub     a7, a7, a6

        larg    t1, args[x_zp]
        larg    t0, args[x_block_rows]
        larg    t6, args[x_width]
        beqz    t9, no_top                      # whole rows, in every channel block
        mul     a0, t9, t6
        larg    ra, args[x_blocks]
        fill.b  sp[t3], rows=a0, planes=ra, plane_step=t0, fill=t1
no_top:
        beqz    a1, no_bottom
        sub     t8, t8, a1
        mul     ra, t8, t6
        add     ra, ra, t3
        mul     a0, a1, t6
        larg    t8, args[x_blocks]
        fill.b  sp[ra], rows=a0, planes=t8, plane_step=t0, fill=t1
no_bottom:
        larg    t8, args[x_height_all]          # columns, down all rows of all channel blocks: those lie evenly apart
        beqz    a5, no_left
        fill.b  sp[t3], rows=a5, planes=t8, plane_step=t6, fill=t1
no_left:
        beqz    a6, no_right
        sub     a4, a4, a6
        add     ra, t3, a4
        fill.b  sp[ra], rows=a6, planes=t8, plane_step=t6, fill=t1
no_right:
        beqz    a2, load_weights
        beqz    a7, load_weights
        mul     a0, t9, t6                      # a0 scratchpad row, t7 DRAM address of the first pixel that is none of the padding
        add     a0, a0, a5
        add     a0, a0, t3
        larg    t8, args[x_row_pitch]
        add     t7, t7, t9
        mul     t7, t7, t8
        larg    t9, args[x_pixel_pitch]
        add     a3, a3, a5
        mul     a3, a3, t9
        add     t7, t7, a3
        larg    a3, args[x_image_pitch]
        mul     a3, a3, s0
        add     t7, t7, a3
        srli    a3, s5, GROUP
        larg    t8, args[channels]
        mul     a3, a3, t8
        add     t7, t7, a3
        add     t7, t7, s4
        larg    t8, args[x_row_pitch]
        larg    a3, args[x]
        add     t7, t7, a3
        load.b  sp[a0], dram[t7], bytes=t4, rows=a7, stride=t9, block_step=t0, planes=a2, plane_stride=t8, plane_step=t6
load_weights:
        andi    a0, s5, 1
        larg    t6, args[w_half]
        mul     t6, t6, a0
        larg    t7, args[w_base]
        add     t6, t6, t7
        srli    a2, s5, GROUP                   # a2 number of the first column block among those of all groups
        larg    t7, args[blocks]
        mul     a2, a2, t7
        add     a2, a2, s3
        larg    t8, args[taps]
        mul     t9, t8, t4                      # t9 weight rows of a column block in this step
        mul     t8, t8, t5                      # t8 bytes of a channel, a1 of all channels, of a column block
        larg    t7, args[channels]
        mul     a1, t8, t7
        mul     t7, a1, a2
        mul     t8, t8, s4
        add     t7, t7, t8
        larg    t8, args[w]
        add     t7, t7, t8
        load.b  sp[t6], dram[t7], bytes=t5, rows=t9, stride=t5, planes=t2, plane_stride=a1, plane_step=t9 post(operands)
        bnez    s4, compute
        srli    t8, s5, 1
        andi    t8, t8, 1
        larg    t6, args[parameter_half]
        mul     t6, t6, t8
        larg    t7, args[parameter_base]
        add     t6, t6, t7
        slli    t7, a2, 3                       # PARAMETER_ROWS rows of lanes bytes for a column block
        mul     t7, t7, t5
        larg    t8, args[parameters]
        add     t7, t7, t8
        slli    t8, t2, 3
        load.b  sp[t6], dram[t7], bytes=t5, rows=t8, stride=t5 wait(parameters_free) post(parameters_full)

# ------------------------------------------------------------------------------------------------ array: all products of a step
#   t0 x row of this tap and channel block      t1 w row of it in the first column block    t2 accumulator row of the first column block
#   t3 which loop of `products`   t4 channels left behind this block    t5 t7 w and accumulator row of a column block
#   t6 channels of this block     t8 column blocks left                 t9 taps left in this row of the kernel
#   a0 w_zp   a1 x_zp   a2 a3 steps of a run    a4 weight rows left behind this tap in this channel block
#   a5 weight rows of a column block            a6 lanes                a7 pixels of the tile
compute:
        beqz    s8, hand_over
        andi    t4, s5, 1
        xori    t4, t4, 1
        larg    t0, args[x_half]
        mul     t0, t0, t4
        larg    t5, args[x_base]
        add     t0, t0, t5
        srli    t5, s9, 16
        add     t0, t0, t5
        larg    t1, args[w_half]
        mul     t1, t1, t4
        larg    t5, args[w_base]
        add     t1, t1, t5
        call    this_tile_half
        larg    t2, args[acc_half]
        mul     t2, t2, t6
        larg    a0, args[w_zp]
        larg    a1, args[x_zp]
        larg    a2, args[stride_x]
        larg    a3, args[x_plane_step]
        larg    a5, args[taps]
        mul     a5, a5, s10
        larg    a6, args[lanes]
        mul     a7, s6, s7
        larg    t3, args[x_is_unsigned]         # t3 = (x_is_unsigned * 2 + accumulate) * words of a loop
        muli    t3, t3, 2 * PRODUCT_WORDS
        mv      t4, s10
        # A sync would drain the array. A preload that the next one replaces waits as well, and its beats hide behind runs.
        andi    t5, s5, BEGINS_TILE
        bnez    t5, begin_tile
        preload sp[t1] wait(operands)
        addi    t3, t3, PRODUCT_WORDS
        j       channel_block
begin_tile:
        preload sp[t1] wait(operands, sums_free)
channel_block:
        min     t6, a6, t4
        sub     t4, t4, t6
        larg    a4, args[taps]
        mul     a4, a4, t6
tap_row:
        larg    t9, args[kernel_width]
tap:
        sub     a4, a4, t6
        mv      t5, t1
        mv      t8, s8
        or      t7, a4, t4
        bnez    t7, all_blocks
        addi    t8, t8, -1                      # the step's last run posts: it stands apart
        mv      t7, t2
        beqz    t8, last_product
all_blocks:
        mv      t7, t2
        jalr    zero, t3, products
tap_end:
        or      t8, a4, t4
        beqz    t8, last_product
        andi    t8, s5, BEGINS_TILE             # overwrite with the first tap of a tile, accumulate from the second on
        beqz    t8, next_tap
        xori    s5, s5, BEGINS_TILE
        addi    t3, t3, PRODUCT_WORDS
next_tap:
        add     t1, t1, t6
        larg    t8, args[dilation_x]
        add     t0, t0, t8
        addi    t9, t9, -1
        bnez    t9, tap
        larg    t8, args[x_next_row]
        add     t0, t0, t8
        bnez    a4, tap_row
        larg    t8, args[x_next_block]
        add     t0, t0, t8
        j       channel_block
last_product:
        jalr    zero, t3, products + PRODUCT_LAST

# ------------------------------------------------------------------------------------------------ vector and store: end of a tile
step_end:
        andi    t0, s5, ENDS_TILE
        bnez    t0, tile_end
        sync.vector wait(sums)                  # more channels follow: nothing to do with these sums yet
        j       next
tile_end:
        larg    a4, args[ending]
        bnez    a4, special_end
        call    this_tile_half
        larg    t0, args[output_half]
        mul     t0, t0, t6
        larg    t4, args[output_base]
        add     t0, t0, t4
        mv      t7, t0
        larg    t1, args[acc_half]
        mul     t1, t1, t6
        larg    t2, args[parameter_half]
        mul     t2, t2, t6
        larg    t4, args[parameter_base]
        add     t2, t2, t4
        larg    t3, args[y_zp]
        larg    t4, args[y_min]
        larg    t5, args[y_max]
        addi    t6, s8, -1
        beqz    t6, only_block
        requantise sp[t0], acc[t1], params=sp[t2], rows=a7, zp=t3, min=t4, max=t5 wait(sums, parameters_full, results_free)
next_block:
        add     t0, t0, a7
        add     t1, t1, a7
        addi    t2, t2, PARAMETER_ROWS
        addi    t6, t6, -1
        beqz    t6, last_block
        requantise sp[t0], acc[t1], params=sp[t2], rows=a7, zp=t3, min=t4, max=t5
        j       next_block
last_block:
        requantise sp[t0], acc[t1], params=sp[t2], rows=a7, zp=t3, min=t4, max=t5 post(parameters_free, sums_free, results)
        j       store_tile
only_block:
        requantise sp[t0], acc[t1], params=sp[t2], rows=a7, zp=t3, min=t4, max=t5 wait(sums, parameters_full, results_free) post(parameters_free, sums_free, results)
store_tile:
        larg    t1, args[y_pixel_pitch]
        larg    t2, args[y_row_pitch]
        store.b dram[s11], sp[t7], bytes=s9, rows=s7, stride=t1, block_step=a7, planes=s6, plane_stride=t2, plane_step=s7 wait(results) post(results_free)
next:
        larg    t0, args[images]
        bge     s0, t0, end

# ------------------------------------------------------------------------------------------------ the next step becomes this step
hand_over:
        call    shape
        mv      s6, t0
        mv      s7, t1
        mv      s8, t2
        mv      s10, t4
        larg    t7, args[special]
        bnez    t7, special_hand_over
        mv      s9, t3
y_in_dram:
        larg    s11, args[y]                    # s11 = y + group, channel, image, row, pixel
        srli    t7, s5, GROUP
        larg    t8, args[outputs]
        mul     t7, t7, t8
        add     s11, s11, t7
        add     s11, s11, t6
        larg    t7, args[y_image_pitch]
        mul     t7, t7, s0
        add     s11, s11, t7
        larg    t7, args[y_row_pitch]
        mul     t7, t7, s1
        add     s11, s11, t7
        larg    t7, args[y_pixel_pitch]
        mul     t7, t7, s2
        add     s11, s11, t7
handed_over:
        andi    s5, s5, ~(BEGINS_TILE | ENDS_TILE)
        bnez    s4, advance
        ori     s5, s5, BEGINS_TILE
        larg    t7, args[ending]
        andi    t7, t7, LOADS_RESIDUAL
        bnez    t7, load_residual
advance:                                        # channels, then column blocks, then width, height, images, groups
        xori    s5, s5, 1
        larg    t0, args[channel_tile]
        larg    t1, args[channels]
        add     s4, s4, t0
        blt     s4, t1, step
        li      s4, 0
        xori    s5, s5, TILE_HALF | ENDS_TILE
        larg    t0, args[block_tile]
        larg    t1, args[blocks]
        add     s3, s3, t0
        blt     s3, t1, step
        li      s3, 0
        larg    t0, args[width_tile]
        larg    t1, args[out_width]
        add     s2, s2, t0
        blt     s2, t1, step
        li      s2, 0
        larg    t0, args[height_tile]
        larg    t1, args[out_height]
        add     s1, s1, t0
        blt     s1, t1, step
        li      s1, 0
        larg    t1, args[images]
        addi    s0, s0, 1
        blt     s0, t1, step
        larg    t1, args[groups]
        srli    t0, s5, GROUP
        addi    t0, t0, 1
        bge     t0, t1, step                    # s0 = images: no next step
        li      s0, 0
        addi    s5, s5, 1 << GROUP
        j       step

# ------------------------------------------------------------------------------------------------ end: take the credits back
end:
        sync.load   wait(operands_free, parameters_free)
        sync.load   wait(operands_free, parameters_free)
        sync.vector wait(results_free)
        sync.vector wait(results_free)
        sync.array  wait(sums_free)
        larg    t0, args[acc_half]
        beqz    t0, stop
        sync.array  wait(sums_free)
stop:
        halt

# ------------------------------------------------------------------------------------------------ what most launches do without
one_acc_half:
        sync.vector post(parameters_free)
        j       step

# Load: the table before all, and nothing of an x that lies in the scratchpad.
special_load:
        andi    t6, t3, SPECIAL_TABLE
        beqz    t6, is_x_there
        bnez    s8, is_x_there
        larg    t6, args[extra_base]
        larg    t7, args[extra]
        li      t8, 256
        load.b  sp[t6], dram[t7], bytes=t8      # its blocks lie in consecutive rows
is_x_there:
        andi    t3, t3, SPECIAL_X
        beqz    t3, load_x
        andi    a0, s5, 1
        larg    t6, args[w_half]
        mul     t6, t6, a0
        larg    t7, args[w_base]
        add     t6, t6, t7
        # lint: allow W0909 it is here for its wait
        fill.b  sp[t6] wait(operands_free)
        j       load_weights

# Hand over: places of x and y in the scratchpad; t7 `special`.
special_hand_over:
        li      t9, 0
        andi    t8, t7, SPECIAL_X
        beqz    t8, x_row_known
        beqz    s4, begin_x
        srli    t9, s9, 16                      # the tile goes on with more channels
        larg    t8, args[x_step_rows]
        add     t9, t9, t8
        j       x_row_known
begin_x:
        larg    t9, args[x_plane_step]
        mul     t9, t9, s1
        larg    t8, args[stride_x]
        mul     t8, t8, s2
        add     t9, t9, t8
x_row_known:
        slli    t9, t9, 16
        or      s9, t9, t3
        andi    t8, t7, SPECIAL_Y
        beqz    t8, y_in_dram
        larg    s11, args[y_row_pitch]          # s11 = output_base + row, pixel, column block
        mul     s11, s11, s1
        larg    t7, args[output_base]
        add     s11, s11, t7
        add     s11, s11, s2
        larg    t7, args[y_block_rows]
        mul     t7, t7, s3
        add     s11, s11, t7
        or      t7, s1, s2
        bnez    t7, handed_over
        li      t7, 1
        slli    t7, t7, 31
        or      s11, s11, t7
        j       handed_over

# The tile that begins: its residual, behind its parameters.
load_residual:
        srli    t0, s5, 1
        andi    t0, t0, 1
        larg    t1, args[output_half]
        mul     t0, t0, t1
        larg    t1, args[extra_base]
        add     t0, t0, t1
        larg    t1, args[extra]
        larg    t2, args[y]
        sub     t1, t1, t2
        add     t1, t1, s11
        larg    t2, args[y_pixel_pitch]
        larg    t3, args[y_row_pitch]
        mul     t4, s6, s7
        slli    t5, s9, 16
        srli    t5, t5, 16
        load.b  sp[t0], dram[t1], bytes=t5, rows=s7, stride=t2, block_step=t4, planes=s6, plane_stride=t3, plane_step=s7 post(residual_full)
        j       advance

# The end of a tile that isn't plain. Instructions of the vector unit don't overlap, so a sync costs it a cycle, not the pipeline.
#   t0 output row   t1 accumulator row   t2 parameter row   t3 t4 t5 scalars   t7 the tile's first output row   ra extra   a0 middle
#   a4 `ending`     a5 a6 steps of the outputs by column block and plane       s8 column blocks   s9 their bytes   t8 blocks left
special_end:
        slli    s9, s9, 16
        srli    s9, s9, 16
        andi    t8, a4, IS_SERIAL
        beqz    t8, special_places
        fence
special_places:
        call    this_tile_half
        larg    t1, args[acc_half]
        mul     t1, t1, t6
        larg    t2, args[parameter_half]
        mul     t2, t2, t6
        larg    t4, args[parameter_base]
        add     t2, t2, t4
        larg    a0, args[output_half]
        mul     a0, a0, t6
        larg    t0, args[output_base]
        add     t0, t0, a0
        mv      t7, t0
        mv      a5, a7
        mv      a6, s7
        larg    ra, args[extra_base]
        andi    t8, a4, Y_STAYS
        bnez    t8, y_stays
        andi    t8, a4, SUM
        bnez    t8, wait_for_residual
        sync.vector wait(sums, parameters_full, results_free)
        j       special_requantise
wait_for_residual:
        add     ra, ra, a0
        sync.vector wait(sums, parameters_full, residual_full, results_free)
        j       special_requantise

y_stays:
        slli    t0, s11, 1
        srli    t0, t0, 1
        larg    a5, args[y_block_rows]
        larg    a6, args[y_row_pitch]
        add     ra, ra, t0
        sync.vector wait(sums, parameters_full)
        srli    t3, s11, 31
        beqz    t3, special_requantise
        # The border of these column blocks: the largest of any bytes, clamped to the zero point.
        larg    t3, args[y_border]
        li      t4, 0
        larg    t5, args[y_corner]
        beqz    t5, no_corner
        sub     t6, t0, t5
        # lint: allow W0909 for launches to come
        maximum sp[t6], src=sp[t2], rows=t5, src_step=t4, planes=s8, plane_step=a5, src_plane_step=t4, min=t3, max=t3
no_corner:
        larg    t6, args[out_width]
        add     t6, t6, t0
        larg    a1, args[out_height]
        addi    a1, a1, -1
        mul     a2, a1, a6
        add     a2, a2, t6
        larg    t5, args[y_foot]
        beqz    t5, no_foot
        # lint: allow W0909 for launches to come
        maximum sp[a2], src=sp[t2], rows=t5, src_step=t4, planes=s8, plane_step=a5, src_plane_step=t4, min=t3, max=t3
no_foot:
        addi    a2, s8, -1
        larg    t5, args[y_frame_height]
        mul     a2, a2, t5
        add     a2, a2, a1
        larg    t5, args[y_gap]
        beqz    t5, special_requantise
        beqz    a2, special_requantise
        # lint: allow W0909 for launches to come
        maximum sp[t6], src=sp[t2], rows=t5, src_step=t4, planes=a2, plane_step=a6, src_plane_step=t4, min=t3, max=t3

special_requantise:
        larg    t3, args[y_zp]
        larg    t4, args[y_min]
        larg    t5, args[y_max]
        mv      t8, s8
        andi    t6, a4, LOOKUP | SUM
        bnez    t6, requantise_for_epilogue
requantise_block:
        requantise sp[t0], acc[t1], params=sp[t2], rows=s7, planes=s6, plane_step=a6, acc_plane_step=s7, zp=t3, min=t4, max=t5
        add     t0, t0, a5
        add     t1, t1, a7
        addi    t2, t2, PARAMETER_ROWS
        addi    t8, t8, -1
        bnez    t8, requantise_block
        j       special_results
requantise_for_epilogue:
        larg    a0, args[middle_base]
        mv      t6, a0
middle_block:
        requantise sp[t6], acc[t1], params=sp[t2], rows=a7, zp=t3, min=t4, max=t5
        add     t6, t6, a7
        add     t1, t1, a7
        addi    t2, t2, PARAMETER_ROWS
        addi    t8, t8, -1
        bnez    t8, middle_block
        # The epilogue, column block by column block if y stays, else all at once.
        #   t1 .. t5 scalars   t6 planes   t8 blocks left   a3 rows of a plane   t9 a1 steps of the middle by plane and block
        #   s10 a2 steps of the residual
        mv      t6, s6
        mv      a3, s7
        mv      t9, s7
        mv      a1, a7
        mv      s10, s7
        mv      a2, a7
        mv      t8, s8
        andi    t1, a4, Y_STAYS
        bnez    t1, tile_stays
        mul     a3, a7, s8
        li      t6, 1
        li      t8, 1
        j       which_epilogue
tile_stays:
        mv      s10, a6
        mv      a2, a5
which_epilogue:
        andi    t1, a4, SUM
        bnez    t1, sums_with
        larg    ra, args[extra_base]
lookup_block:
        lookup  sp[t0], src=sp[a0], rows=a3, planes=t6, plane_step=a6, src_plane_step=t9, table=sp[ra]
        add     t0, t0, a5
        add     a0, a0, a1
        addi    t8, t8, -1
        bnez    t8, lookup_block
        j       special_results
sums_with:
        andi    t1, a4, PRODUCT_IS_RIGHT
        beqz    t1, sum_scalars
        mv      t1, a0
        mv      a0, ra
        mv      ra, t1
        mv      t1, t9
        mv      t9, s10
        mv      s10, t1
        mv      t1, a1
        mv      a1, a2
        mv      a2, t1
sum_scalars:
        larg    t1, args[left_scale]
        larg    t2, args[right_scale]
        larg    t3, args[offset]
        larg    t4, args[sum_min]
        larg    t5, args[sum_max]
        andi    s8, a4, IS_U8
        bnez    s8, sum_block_u8
sum_block:
        add.b   sp[t0], left=sp[a0], right=sp[ra], rows=a3, planes=t6, plane_step=a6, left_plane_step=t9, right_plane_step=s10, left_scale=t1, right_scale=t2, offset=t3, min=t4, max=t5
        add     t0, t0, a5
        add     a0, a0, a1
        add     ra, ra, a2
        addi    t8, t8, -1
        bnez    t8, sum_block
        j       special_results
sum_block_u8:
        add.b   sp[t0], left=sp[a0], right=sp[ra], rows=a3, planes=t6, plane_step=a6, left_plane_step=t9, right_plane_step=s10, left_scale=t1, right_scale=t2, offset=t3, min=t4, max=t5 u8
        add     t0, t0, a5
        add     a0, a0, a1
        add     ra, ra, a2
        addi    t8, t8, -1
        bnez    t8, sum_block_u8
special_results:
        andi    t8, a4, Y_STAYS
        bnez    t8, results_stay
        sync.vector post(parameters_free, sums_free, results)
        andi    t8, a4, IS_SERIAL
        beqz    t8, special_store
        fence
special_store:
        larg    t1, args[y_pixel_pitch]
        larg    t2, args[y_row_pitch]
        store.b dram[s11], sp[t7], bytes=s9, rows=s7, stride=t1, block_step=a7, planes=s6, plane_stride=t2, plane_step=s7 wait(results) post(results_free)
        beqz    t8, next
        fence
        j       next
results_stay:
        sync.vector post(parameters_free, sums_free)
        j       next

# ------------------------------------------------------------------------------------------------ shape of the next step
# -> t0 t1 height and width of the output tile, t2 column blocks, t3 their bytes, t4 channels, t5 lanes, t6 first output channel
shape:
        larg    t0, args[height_tile]
        larg    t6, args[out_height]
        sub     t6, t6, s1
        min     t0, t0, t6
        larg    t1, args[width_tile]
        larg    t6, args[out_width]
        sub     t6, t6, s2
        min     t1, t1, t6
        larg    t2, args[block_tile]
        larg    t6, args[blocks]
        sub     t6, t6, s3
        min     t2, t2, t6
        larg    t4, args[channel_tile]
        larg    t6, args[channels]
        sub     t6, t6, s4
        min     t4, t4, t6
        larg    t5, args[lanes]
        mul     t6, s3, t5
        larg    t3, args[outputs]
        sub     t3, t3, t6
        mul     t7, t2, t5
        min     t3, t3, t7
        ret

# -> t6 half of this tile: that of the next step's tile, unless this step ended its tile; changes t5
this_tile_half:
        srli    t6, s5, 1
        srli    t5, s5, 3
        xor     t6, t6, t5
        andi    t6, t6, 1
        ret

# ------------------------------------------------------------------------------------------------ products
# A run's flags stand in its word, so each kind has its own loop over the t8 column blocks of a tap and channel block, and behind it the
# product that ends a step. Order: s8 then u8, overwrite before accumulate.
.equ PRODUCT_WORDS, 10
.equ PRODUCT_LAST, 7
products:
x_s8:
        preload sp[t5], rows=t6, columns=a6, zp=a0
        run     acc[t7], sp[t0], rows=s7, step=a2, planes=s6, plane_step=a3, acc_plane_step=s7, zp=a1
        add     t5, t5, a5
        add     t7, t7, a7
        addi    t8, t8, -1
        bnez    t8, x_s8
        j       tap_end
        preload sp[t5], rows=t6, columns=a6, zp=a0
        run     acc[t7], sp[t0], rows=s7, step=a2, planes=s6, plane_step=a3, acc_plane_step=s7, zp=a1 post(operands_free, sums)
        j       step_end
x_s8_add:
        preload sp[t5], rows=t6, columns=a6, zp=a0
        run     acc[t7], sp[t0], rows=s7, step=a2, planes=s6, plane_step=a3, acc_plane_step=s7, zp=a1 accumulate
        add     t5, t5, a5
        add     t7, t7, a7
        addi    t8, t8, -1
        bnez    t8, x_s8_add
        j       tap_end
        preload sp[t5], rows=t6, columns=a6, zp=a0
        run     acc[t7], sp[t0], rows=s7, step=a2, planes=s6, plane_step=a3, acc_plane_step=s7, zp=a1 accumulate post(operands_free, sums)
        j       step_end
x_u8:
        preload sp[t5], rows=t6, columns=a6, zp=a0
        run     acc[t7], sp[t0], rows=s7, step=a2, planes=s6, plane_step=a3, acc_plane_step=s7, zp=a1 u8
        add     t5, t5, a5
        add     t7, t7, a7
        addi    t8, t8, -1
        bnez    t8, x_u8
        j       tap_end
        preload sp[t5], rows=t6, columns=a6, zp=a0
        run     acc[t7], sp[t0], rows=s7, step=a2, planes=s6, plane_step=a3, acc_plane_step=s7, zp=a1 u8 post(operands_free, sums)
        j       step_end
x_u8_add:
        preload sp[t5], rows=t6, columns=a6, zp=a0
        run     acc[t7], sp[t0], rows=s7, step=a2, planes=s6, plane_step=a3, acc_plane_step=s7, zp=a1 u8 accumulate
        add     t5, t5, a5
        add     t7, t7, a7
        addi    t8, t8, -1
        bnez    t8, x_u8_add
        j       tap_end
        preload sp[t5], rows=t6, columns=a6, zp=a0
        run     acc[t7], sp[t0], rows=s7, step=a2, planes=s6, plane_step=a3, acc_plane_step=s7, zp=a1 u8 accumulate post(operands_free, sums)
        j       step_end

# ------------------------------------------------------------------------------------------------ cases for the lint
# written by tests/lint/kernel_cases.py from the planners: small tiles, so that every loop turns and every credit comes round
.case edge_3x3, machine=edge-16, images=1, y_image_pitch=3240, y_row_pitch=360, y_pixel_pitch=40, x_image_pitch=3240, x_row_pitch=360
.case edge_3x3, x_pixel_pitch=40, height=9, width=9, channels=40, groups=1, kernel_width=3, span_height=3, span_width=3, taps=9
.case edge_3x3, stride_y=1, stride_x=1, dilation_x=1, pad_top=1, pad_left=1, out_height=9, out_width=9, outputs=40, x_is_unsigned=0
.case edge_3x3, x_zp=4, w_zp=2, y_zp=-1, y_min=-128, y_max=127, lanes=16, blocks=3, height_tile=4, width_tile=4, block_tile=2
.case edge_3x3, channel_tile=32, x_width=6, x_block_rows=36, x_blocks=2, x_height_all=12, x_plane_step=6, x_next_row=3, x_next_block=18
.case edge_3x3, x_base=0, x_half=72, w_base=2048, w_half=576, parameter_base=4096, parameter_half=16, output_base=6144, output_half=32
.case edge_3x3, acc_half=512, ending=0, extra_base=4128, middle_base=6144, left_scale=0, right_scale=0, offset=0, sum_min=0, sum_max=0
.case edge_3x3, special=0, x_step_rows=0, y_block_rows=0, y_frame_height=0, y_corner=0, y_gap=0, y_foot=0, y_border=0
.case edge_stride, machine=edge-16, images=2, y_image_pitch=500, y_row_pitch=100, y_pixel_pitch=20, x_image_pitch=405, x_row_pitch=45
.case edge_stride, x_pixel_pitch=5, height=9, width=9, channels=5, groups=1, kernel_width=3, span_height=3, span_width=3, taps=9
.case edge_stride, stride_y=2, stride_x=2, dilation_x=1, pad_top=1, pad_left=1, out_height=5, out_width=5, outputs=20, x_is_unsigned=1
.case edge_stride, x_zp=4, w_zp=2, y_zp=-1, y_min=-128, y_max=127, lanes=16, blocks=2, height_tile=3, width_tile=3, block_tile=1
.case edge_stride, channel_tile=5, x_width=7, x_block_rows=49, x_blocks=1, x_height_all=7, x_plane_step=14, x_next_row=4, x_next_block=28
.case edge_stride, x_base=0, x_half=49, w_base=2048, w_half=45, parameter_base=4096, parameter_half=8, output_base=6144, output_half=9
.case edge_stride, acc_half=512, ending=0, extra_base=4112, middle_base=6144, left_scale=0, right_scale=0, offset=0, sum_min=0, sum_max=0
.case edge_stride, special=0, x_step_rows=0, y_block_rows=0, y_frame_height=0, y_corner=0, y_gap=0, y_foot=0, y_border=0
.case tiny_1x1, machine=tiny-8, images=1, y_image_pitch=720, y_row_pitch=720, y_pixel_pitch=20, x_image_pitch=720, x_row_pitch=720
.case tiny_1x1, x_pixel_pitch=20, height=1, width=36, channels=20, groups=1, kernel_width=1, span_height=1, span_width=1, taps=1
.case tiny_1x1, stride_y=1, stride_x=1, dilation_x=1, pad_top=0, pad_left=0, out_height=1, out_width=36, outputs=20, x_is_unsigned=1
.case tiny_1x1, x_zp=4, w_zp=2, y_zp=-1, y_min=-128, y_max=127, lanes=8, blocks=3, height_tile=1, width_tile=12, block_tile=2
.case tiny_1x1, channel_tile=8, x_width=12, x_block_rows=12, x_blocks=1, x_height_all=1, x_plane_step=12, x_next_row=11, x_next_block=0
.case tiny_1x1, x_base=0, x_half=12, w_base=512, w_half=16, parameter_base=1024, parameter_half=16, output_base=1536, output_half=24
.case tiny_1x1, acc_half=256, ending=0, extra_base=1056, middle_base=1536, left_scale=0, right_scale=0, offset=0, sum_min=0, sum_max=0
.case tiny_1x1, special=0, x_step_rows=0, y_block_rows=0, y_frame_height=0, y_corner=0, y_gap=0, y_foot=0, y_border=0
.case tiny_3x2, machine=tiny-8, images=2, y_image_pitch=588, y_row_pitch=84, y_pixel_pitch=12, x_image_pitch=539, x_row_pitch=77
.case tiny_3x2, x_pixel_pitch=11, height=7, width=7, channels=11, groups=1, kernel_width=2, span_height=3, span_width=2, taps=6
.case tiny_3x2, stride_y=1, stride_x=1, dilation_x=1, pad_top=1, pad_left=0, out_height=7, out_width=7, outputs=12, x_is_unsigned=1
.case tiny_3x2, x_zp=4, w_zp=2, y_zp=-1, y_min=-128, y_max=127, lanes=8, blocks=2, height_tile=3, width_tile=3, block_tile=1
.case tiny_3x2, channel_tile=8, x_width=4, x_block_rows=20, x_blocks=1, x_height_all=5, x_plane_step=4, x_next_row=2, x_next_block=8
.case tiny_3x2, x_base=0, x_half=20, w_base=512, w_half=48, parameter_base=1024, parameter_half=8, output_base=1536, output_half=9
.case tiny_3x2, acc_half=256, ending=0, extra_base=1040, middle_base=1536, left_scale=0, right_scale=0, offset=0, sum_min=0, sum_max=0
.case tiny_3x2, special=0, x_step_rows=0, y_block_rows=0, y_frame_height=0, y_corner=0, y_gap=0, y_foot=0, y_border=0
.case tiny_wide, machine=tiny-8, images=1, y_image_pitch=500, y_row_pitch=500, y_pixel_pitch=20, x_image_pitch=150, x_row_pitch=150
.case tiny_wide, x_pixel_pitch=6, height=1, width=25, channels=6, groups=1, kernel_width=1, span_height=1, span_width=1, taps=1
.case tiny_wide, stride_y=1, stride_x=1, dilation_x=1, pad_top=0, pad_left=0, out_height=1, out_width=25, outputs=20, x_is_unsigned=0
.case tiny_wide, x_zp=4, w_zp=2, y_zp=-1, y_min=-128, y_max=127, lanes=8, blocks=3, height_tile=1, width_tile=7, block_tile=3
.case tiny_wide, channel_tile=6, x_width=7, x_block_rows=7, x_blocks=1, x_height_all=1, x_plane_step=7, x_next_row=6, x_next_block=0
.case tiny_wide, x_base=0, x_half=7, w_base=512, w_half=18, parameter_base=1024, parameter_half=24, output_base=1536, output_half=21
.case tiny_wide, acc_half=256, ending=0, extra_base=1072, middle_base=1536, left_scale=0, right_scale=0, offset=0, sum_min=0, sum_max=0
.case tiny_wide, special=0, x_step_rows=0, y_block_rows=0, y_frame_height=0, y_corner=0, y_gap=0, y_foot=0, y_border=0
.case odd_3x3, machine=odd-6.toml, images=1, y_image_pitch=441, y_row_pitch=63, y_pixel_pitch=9, x_image_pitch=392, x_row_pitch=56
.case odd_3x3, x_pixel_pitch=8, height=7, width=7, channels=8, groups=1, kernel_width=3, span_height=3, span_width=3, taps=9, stride_y=1
.case odd_3x3, stride_x=1, dilation_x=1, pad_top=1, pad_left=1, out_height=7, out_width=7, outputs=9, x_is_unsigned=0, x_zp=4, w_zp=2
.case odd_3x3, y_zp=-1, y_min=-128, y_max=127, lanes=6, blocks=2, height_tile=2, width_tile=3, block_tile=1, channel_tile=6, x_width=5
.case odd_3x3, x_block_rows=20, x_blocks=1, x_height_all=4, x_plane_step=5, x_next_row=2, x_next_block=5, x_base=0, x_half=20, w_base=131
.case odd_3x3, w_half=54, parameter_base=262, parameter_half=8, output_base=393, output_half=6, acc_half=31, ending=0, extra_base=278
.case odd_3x3, middle_base=393, left_scale=0, right_scale=0, offset=0, sum_min=0, sum_max=0, special=0, x_step_rows=0, y_block_rows=0
.case odd_3x3, y_frame_height=0, y_corner=0, y_gap=0, y_foot=0, y_border=0
.case tiny_groups, machine=tiny-8, images=2, y_image_pitch=980, y_row_pitch=140, y_pixel_pitch=20, x_image_pitch=980, x_row_pitch=140
.case tiny_groups, x_pixel_pitch=20, height=7, width=7, channels=10, groups=2, kernel_width=3, span_height=5, span_width=5, taps=9
.case tiny_groups, stride_y=1, stride_x=1, dilation_x=2, pad_top=2, pad_left=2, out_height=7, out_width=7, outputs=10, x_is_unsigned=0
.case tiny_groups, x_zp=4, w_zp=2, y_zp=-1, y_min=-128, y_max=127, lanes=8, blocks=2, height_tile=3, width_tile=3, block_tile=1
.case tiny_groups, channel_tile=8, x_width=7, x_block_rows=49, x_blocks=1, x_height_all=7, x_plane_step=7, x_next_row=8, x_next_block=7
.case tiny_groups, x_base=0, x_half=49, w_base=512, w_half=72, parameter_base=1024, parameter_half=8, output_base=1536, output_half=9
.case tiny_groups, acc_half=256, ending=0, extra_base=1040, middle_base=1536, left_scale=0, right_scale=0, offset=0, sum_min=0, sum_max=0
.case tiny_groups, special=0, x_step_rows=0, y_block_rows=0, y_frame_height=0, y_corner=0, y_gap=0, y_foot=0, y_border=0
.case serial_2x2, machine=serial-4.toml, images=1, y_image_pitch=150, y_row_pitch=30, y_pixel_pitch=6, x_image_pitch=125, x_row_pitch=25
.case serial_2x2, x_pixel_pitch=5, height=5, width=5, channels=5, groups=1, kernel_width=2, span_height=2, span_width=2, taps=4
.case serial_2x2, stride_y=1, stride_x=1, dilation_x=1, pad_top=0, pad_left=1, out_height=5, out_width=5, outputs=6, x_is_unsigned=0
.case serial_2x2, x_zp=4, w_zp=2, y_zp=-1, y_min=-128, y_max=127, lanes=4, blocks=2, height_tile=2, width_tile=2, block_tile=1
.case serial_2x2, channel_tile=4, x_width=3, x_block_rows=9, x_blocks=1, x_height_all=3, x_plane_step=3, x_next_row=1, x_next_block=3
.case serial_2x2, x_base=0, x_half=9, w_base=18, w_half=16, parameter_base=50, parameter_half=8, output_base=66, output_half=4, acc_half=0
.case serial_2x2, ending=1, extra_base=66, middle_base=66, left_scale=0, right_scale=0, offset=0, sum_min=0, sum_max=0, special=0
.case serial_2x2, x_step_rows=0, y_block_rows=0, y_frame_height=0, y_corner=0, y_gap=0, y_foot=0, y_border=0
.case edge_table, machine=edge-16, images=1, y_image_pitch=3240, y_row_pitch=360, y_pixel_pitch=40, x_image_pitch=1620, x_row_pitch=180
.case edge_table, x_pixel_pitch=20, height=9, width=9, channels=20, groups=1, kernel_width=3, span_height=3, span_width=3, taps=9
.case edge_table, stride_y=1, stride_x=1, dilation_x=1, pad_top=1, pad_left=1, out_height=9, out_width=9, outputs=40, x_is_unsigned=0
.case edge_table, x_zp=4, w_zp=2, y_zp=-1, y_min=-128, y_max=127, lanes=16, blocks=3, height_tile=4, width_tile=4, block_tile=2
.case edge_table, channel_tile=20, x_width=6, x_block_rows=36, x_blocks=2, x_height_all=12, x_plane_step=6, x_next_row=3, x_next_block=18
.case edge_table, x_base=0, x_half=72, w_base=2048, w_half=360, parameter_base=4096, parameter_half=16, output_base=8192, output_half=32
.case edge_table, acc_half=512, ending=2, extra_base=4128, middle_base=6144, left_scale=0, right_scale=0, offset=0, sum_min=0, sum_max=0
.case edge_table, special=4, x_step_rows=0, y_block_rows=0, y_frame_height=0, y_corner=0, y_gap=0, y_foot=0, y_border=0
.case tiny_sum, machine=tiny-8, images=1, y_image_pitch=980, y_row_pitch=140, y_pixel_pitch=20, x_image_pitch=539, x_row_pitch=77
.case tiny_sum, x_pixel_pitch=11, height=7, width=7, channels=11, groups=1, kernel_width=3, span_height=3, span_width=3, taps=9
.case tiny_sum, stride_y=1, stride_x=1, dilation_x=1, pad_top=1, pad_left=1, out_height=7, out_width=7, outputs=20, x_is_unsigned=0
.case tiny_sum, x_zp=4, w_zp=2, y_zp=-1, y_min=-128, y_max=127, lanes=8, blocks=3, height_tile=3, width_tile=3, block_tile=2
.case tiny_sum, channel_tile=8, x_width=5, x_block_rows=25, x_blocks=1, x_height_all=5, x_plane_step=5, x_next_row=2, x_next_block=10
.case tiny_sum, x_base=0, x_half=25, w_base=512, w_half=144, parameter_base=1024, parameter_half=16, output_base=2048, output_half=18
.case tiny_sum, acc_half=256, ending=36, extra_base=1056, middle_base=1536, left_scale=1059760811, right_scale=1051372203
.case tiny_sum, offset=1070945622, sum_min=-128, sum_max=127, special=0, x_step_rows=0, y_block_rows=0, y_frame_height=0, y_corner=0
.case tiny_sum, y_gap=0, y_foot=0, y_border=0
.case odd_sum, machine=odd-6.toml, images=1, y_image_pitch=686, y_row_pitch=686, y_pixel_pitch=14, x_image_pitch=294, x_row_pitch=294
.case odd_sum, x_pixel_pitch=6, height=1, width=49, channels=6, groups=1, kernel_width=1, span_height=1, span_width=1, taps=1, stride_y=1
.case odd_sum, stride_x=1, dilation_x=1, pad_top=0, pad_left=0, out_height=1, out_width=49, outputs=14, x_is_unsigned=0, x_zp=4, w_zp=2
.case odd_sum, y_zp=1, y_min=0, y_max=255, lanes=6, blocks=3, height_tile=1, width_tile=11, block_tile=2, channel_tile=6, x_width=11
.case odd_sum, x_block_rows=11, x_blocks=1, x_height_all=1, x_plane_step=11, x_next_row=10, x_next_block=0, x_base=0, x_half=11
.case odd_sum, w_base=131, w_half=12, parameter_base=262, parameter_half=16, output_base=524, output_half=22, acc_half=31, ending=60
.case odd_sum, extra_base=294, middle_base=393, left_scale=1059760811, right_scale=1051372203, offset=-1096111440, sum_min=0, sum_max=255
.case odd_sum, special=0, x_step_rows=0, y_block_rows=0, y_frame_height=0, y_corner=0, y_gap=0, y_foot=0, y_border=0
.case tiny_stays, machine=tiny-8, images=1, y_image_pitch=500, y_row_pitch=9, y_pixel_pitch=20, x_image_pitch=500, x_row_pitch=100
.case tiny_stays, x_pixel_pitch=20, height=5, width=5, channels=20, groups=1, kernel_width=3, span_height=3, span_width=3, taps=9
.case tiny_stays, stride_y=1, stride_x=1, dilation_x=1, pad_top=1, pad_left=1, out_height=5, out_width=5, outputs=20, x_is_unsigned=0
.case tiny_stays, x_zp=4, w_zp=2, y_zp=-1, y_min=-128, y_max=127, lanes=8, blocks=3, height_tile=3, width_tile=2, block_tile=2
.case tiny_stays, channel_tile=8, x_width=7, x_block_rows=49, x_blocks=1, x_height_all=7, x_plane_step=7, x_next_row=4, x_next_block=28
.case tiny_stays, x_base=2048, x_half=0, w_base=0, w_half=144, parameter_base=512, parameter_half=16, output_base=3091, output_half=0
.case tiny_stays, acc_half=256, ending=192, extra_base=544, middle_base=1024, left_scale=0, right_scale=0, offset=0, sum_min=0, sum_max=0
.case tiny_stays, special=3, x_step_rows=49, y_block_rows=72, y_frame_height=8, y_corner=19, y_gap=4, y_foot=12, y_border=0, kept=1
.case tiny_x_stays, machine=tiny-8, images=1, y_image_pitch=500, y_row_pitch=500, y_pixel_pitch=20, x_image_pitch=500, x_row_pitch=500
.case tiny_x_stays, x_pixel_pitch=20, height=1, width=25, channels=20, groups=1, kernel_width=1, span_height=1, span_width=1, taps=1
.case tiny_x_stays, stride_y=1, stride_x=1, dilation_x=1, pad_top=0, pad_left=0, out_height=1, out_width=25, outputs=20, x_is_unsigned=0
.case tiny_x_stays, x_zp=4, w_zp=2, y_zp=-1, y_min=-128, y_max=127, lanes=8, blocks=3, height_tile=1, width_tile=9, block_tile=2
.case tiny_x_stays, channel_tile=16, x_width=25, x_block_rows=25, x_blocks=2, x_height_all=2, x_plane_step=25, x_next_row=24
.case tiny_x_stays, x_next_block=0, x_base=2048, x_half=0, w_base=0, w_half=32, parameter_base=512, parameter_half=16, output_base=1536
.case tiny_x_stays, output_half=18, acc_half=256, ending=130, extra_base=544, middle_base=1024, left_scale=0, right_scale=0, offset=0
.case tiny_x_stays, sum_min=0, sum_max=0, special=5, x_step_rows=50, y_block_rows=0, y_frame_height=0, y_corner=0, y_gap=0, y_foot=0
.case tiny_x_stays, y_border=0, kept=1
.case tiny_sum_stays, machine=tiny-8, images=1, y_image_pitch=500, y_row_pitch=7, y_pixel_pitch=20, x_image_pitch=200, x_row_pitch=40
.case tiny_sum_stays, x_pixel_pitch=8, height=5, width=5, channels=8, groups=1, kernel_width=1, span_height=1, span_width=1, taps=1
.case tiny_sum_stays, stride_y=1, stride_x=1, dilation_x=1, pad_top=0, pad_left=0, out_height=5, out_width=5, outputs=20, x_is_unsigned=0
.case tiny_sum_stays, x_zp=4, w_zp=2, y_zp=-1, y_min=-128, y_max=127, lanes=8, blocks=3, height_tile=2, width_tile=5, block_tile=2
.case tiny_sum_stays, channel_tile=8, x_width=5, x_block_rows=10, x_blocks=1, x_height_all=2, x_plane_step=5, x_next_row=4, x_next_block=5
.case tiny_sum_stays, x_base=0, x_half=10, w_base=512, w_half=16, parameter_base=1024, parameter_half=16, output_base=2568, output_half=0
.case tiny_sum_stays, acc_half=256, ending=68, extra_base=512, middle_base=1536, left_scale=1059760811, right_scale=1051372203
.case tiny_sum_stays, offset=1070945622, sum_min=-128, sum_max=127, special=2, x_step_rows=0, y_block_rows=49, y_frame_height=7
.case tiny_sum_stays, y_corner=8, y_gap=2, y_foot=8, y_border=0, kept=1
.case tiny_sum_stays_u8, machine=tiny-8, images=1, y_image_pitch=500, y_row_pitch=25, y_pixel_pitch=20, x_image_pitch=200, x_row_pitch=200
.case tiny_sum_stays_u8, x_pixel_pitch=8, height=1, width=25, channels=8, groups=1, kernel_width=1, span_height=1, span_width=1, taps=1
.case tiny_sum_stays_u8, stride_y=1, stride_x=1, dilation_x=1, pad_top=0, pad_left=0, out_height=1, out_width=25, outputs=20
.case tiny_sum_stays_u8, x_is_unsigned=0, x_zp=4, w_zp=2, y_zp=1, y_min=0, y_max=255, lanes=8, blocks=3, height_tile=1, width_tile=13
.case tiny_sum_stays_u8, block_tile=1, channel_tile=8, x_width=25, x_block_rows=25, x_blocks=1, x_height_all=1, x_plane_step=25
.case tiny_sum_stays_u8, x_next_row=24, x_next_block=0, x_base=2048, x_half=0, w_base=0, w_half=8, parameter_base=512, parameter_half=8
.case tiny_sum_stays_u8, output_base=2560, output_half=0, acc_half=256, ending=220, extra_base=512, middle_base=1024
.case tiny_sum_stays_u8, left_scale=1059760811, right_scale=1051372203, offset=-1096111440, sum_min=0, sum_max=255, special=3
.case tiny_sum_stays_u8, x_step_rows=25, y_block_rows=25, y_frame_height=1, y_corner=0, y_gap=0, y_foot=0, y_border=0, kept=1
.case serial_sum, machine=serial-4.toml, images=1, y_image_pitch=96, y_row_pitch=24, y_pixel_pitch=6, x_image_pitch=125, x_row_pitch=25
.case serial_sum, x_pixel_pitch=5, height=5, width=5, channels=5, groups=1, kernel_width=2, span_height=2, span_width=2, taps=4
.case serial_sum, stride_y=1, stride_x=1, dilation_x=1, pad_top=0, pad_left=0, out_height=4, out_width=4, outputs=6, x_is_unsigned=0
.case serial_sum, x_zp=4, w_zp=2, y_zp=-1, y_min=-128, y_max=127, lanes=4, blocks=2, height_tile=2, width_tile=2, block_tile=1
.case serial_sum, channel_tile=4, x_width=3, x_block_rows=9, x_blocks=1, x_height_all=3, x_plane_step=3, x_next_row=1, x_next_block=3
.case serial_sum, x_base=0, x_half=9, w_base=18, w_half=16, parameter_base=50, parameter_half=8, output_base=78, output_half=4, acc_half=0
.case serial_sum, ending=37, extra_base=66, middle_base=74, left_scale=1059760811, right_scale=1051372203, offset=1070945622, sum_min=-128
.case serial_sum, sum_max=127, special=0, x_step_rows=0, y_block_rows=0, y_frame_height=0, y_corner=0, y_gap=0, y_foot=0, y_border=0
