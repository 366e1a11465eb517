# window: y = depthwise convolution, average or maximum over windows of x, NHWC, any window, strides, padding and dilations
#
# Every lane works on a channel of its own. The tile's part of x lies in the scratchpad as it is, a row for each pixel and block of
# channels, and the vector unit walks it window by window. Padding is made of rows filled with a byte that changes no result.
#
# The work is cut into tiles of height_tile x width_tile pixels x block_tile channel blocks of y (a block is as wide as the vector unit).
# All that depends on the machine comes in arguments; the planner, kernels/window.py, chooses them.
#
#   load    tile i + 1: parameter blocks, weights, padding and x into one half of their scratchpad regions
#   vector  tile i: all windows of a channel block with each instruction
#   store   tile i - 1
#
# Each region has two halves, used in turn. In program order every wait comes after its post: then no queue depth can deadlock.
# Instructions of the vector unit don't overlap, so a sync costs it a cycle, not the pipeline.
#
# Scratchpad regions (rows; `*_half` is the distance of the second half)
#   x           [channel blocks][x_height][x_width]
#   weights     [channel blocks][taps]
#   parameters  [channel blocks][8]
#   outputs     [channel blocks][pixels]
#   table       256 bytes, once
#   middle      [channel blocks][pixels], once
#
# A table may follow before a tile is stored. x and y may stay in the scratchpad from launch to launch, x in a frame [channel
# blocks][rows and pixels, padding included], y in [channel blocks][pixels]: then nothing of them is loaded or stored.
#
# Registers
#   s0 .. s3   the next tile: image, first y and x, channel block        s4  its half
#   s6 s7      this tile: height and width    s8 s9  channel blocks (0 before the first tile), their bytes    s10  DRAM address of its outputs
#              or, if y stays, their first row
#   s11        this tile: rows from the first of an x that stays to the tile's first; then its first output row

.arg x,          in,  s8[*]             # or u8, NHWC with the pitches below
.arg weights,    in,  s8[*]             # depthwise: [channel blocks][taps][lanes]
.arg parameters, in,  s32[*]            # depthwise, average: [channel blocks][biases, binary32 scales]
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
.arg channels,   value
.arg lines,      value                  # of the window
.arg columns,    value
.arg taps,       value                  # lines * columns
.arg span_height, value                 # in rows and pixels of x: (taps - 1) * dilation + 1
.arg span_width, value
.arg stride_y,   value
.arg stride_x,   value
.arg dilation_x, value
.arg pad_top,    value                  # bottom and right follow from the size of y
.arg pad_left,   value
.arg out_height, value                  # of y
.arg out_width,  value
.arg operation,  value                  # 0 depthwise, 2 average, 4 maximum; + 1 where x is u8
.arg x_fill,     value                  # byte of the padding
.arg x_zp,       value
.arg w_zp,       value
.arg y_zp,       value
.arg y_min,      value
.arg y_max,      value
.arg lanes,      value                  # bytes of a scratchpad row
.arg blocks,     value                  # ceil(channels / lanes)
.arg height_tile, value
.arg width_tile, value
.arg block_tile, value
.arg x_width,    value                  # (width_tile - 1) * stride_x + span_width
.arg x_block_rows, value                # x_height * x_width
.arg x_height_all, value                # block_tile * x_height
.arg x_plane_step, value                # stride_y * x_width
.arg line_step,  value                  # dilation_y * x_width
.arg x_base,     value
.arg x_half,     value
.arg weight_base, value
.arg weight_half, value
.arg parameter_base, value
.arg parameter_half, value
.arg output_base, value
.arg output_half, value
.arg ending,     value                  # how a tile ends: sum of the bits below, 0 for a store
.arg table,      in,  u8[*]             # of the epilogue, 256 bytes
.arg table_base, value
.arg middle_base, value                 # the tile before its epilogue
.arg x_stays,    value                  # 1: x lies in the scratchpad, from x_base on
.arg y_block_rows, value                # if y stays: rows of a channel block; y_row_pitch counts rows

.token operands      = load -> vector.0 # all that a tile needs is in the scratchpad
.token operands_free = vector -> load.0
.token results       = vector -> store.0
.token results_free  = store -> vector.0

.equ PARAMETER_ROWS, 8
.equ AVERAGE, 2
.equ MAXIMUM, 4
.equ IS_SERIAL, 1                       # bits of `ending`: regions share banks, so that vector and store work alone
.equ LOOKUP, 2                          # an epilogue: a table
.equ Y_STAYS, 64

        li      s0, 0
        li      s1, 0
        li      s2, 0
        li      s3, 0
        li      s4, 0
        li      s8, 0
        sync.vector post(operands_free)
        sync.vector post(operands_free)
        sync.store  post(results_free)
        sync.store  post(results_free)
        larg    t0, args[ending]
        andi    t0, t0, LOOKUP
        beqz    t0, tile
        larg    t0, args[table_base]
        larg    t1, args[table]
        li      t2, 256
        load.b  sp[t0], dram[t1], bytes=t2      # its blocks lie in consecutive rows

# ------------------------------------------------------------------------------------------------ one tile each time round
tile:
        larg    t0, args[images]
        bge     s0, t0, compute                 # no next tile

# ------------------------------------------------------------------------------------------------ load: operands of the next tile
        call    shape
        mv      t4, t3
        larg    t3, args[x_half]                # t3 first row of x in this half
        mul     t3, t3, s4
        larg    t6, args[x_base]
        add     t3, t3, t6
        larg    t6, args[x_stays]
        bnez    t6, wait_for_half
        # Whatever comes first waits. A sync would drain the pipeline; a row that is written again costs one beat.
        # lint: allow W0909 it is here for its wait
        fill.b  sp[t3] wait(operands_free)
load_constants:
        larg    t5, args[lanes]
        larg    t6, args[operation]
        li      t7, MAXIMUM
        bge     t6, t7, load_x
        slli    t7, s3, 3                       # PARAMETER_ROWS rows of lanes bytes for a channel block
        mul     t7, t7, t5
        larg    t8, args[parameters]
        add     t7, t7, t8
        slli    t8, t2, 3
        larg    t9, args[parameter_half]
        mul     t9, t9, s4
        larg    a0, args[parameter_base]
        add     t9, t9, a0
        load.b  sp[t9], dram[t7], bytes=t5, rows=t8, stride=t5
        li      t7, AVERAGE
        bge     t6, t7, load_x
        larg    t8, args[taps]
        mul     t7, s3, t8
        mul     t7, t7, t5
        larg    t9, args[weights]
        add     t7, t7, t9
        mul     t8, t8, t2
        larg    t9, args[weight_half]
        mul     t9, t9, s4
        larg    a0, args[weight_base]
        add     t9, t9, a0
        load.b  sp[t9], dram[t7], bytes=t5, rows=t8, stride=t5
load_x:
        larg    t6, args[x_stays]
        bnez    t6, all_loaded
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

        larg    t1, args[x_fill]
        larg    t0, args[x_block_rows]
        larg    t6, args[x_width]
        beqz    t9, no_top                      # whole rows, in every channel block
        mul     a0, t9, t6
        larg    ra, args[block_tile]
        fill.b  sp[t3], rows=a0, planes=ra, plane_step=t0, fill=t1
no_top:
        beqz    a1, no_bottom
        sub     t8, t8, a1
        mul     ra, t8, t6
        add     ra, ra, t3
        mul     a0, a1, t6
        larg    t8, args[block_tile]
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
        beqz    a2, all_loaded
        beqz    a7, all_loaded
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
        mul     a3, s3, t5
        add     t7, t7, a3
        larg    a3, args[x]
        add     t7, t7, a3
        load.b  sp[a0], dram[t7], bytes=t4, rows=a7, stride=t9, block_step=t0, planes=a2, plane_stride=t8, plane_step=t6 post(operands)
        j       compute
all_loaded:
        sync.load post(operands)

# ------------------------------------------------------------------------------------------------ vector and store: this tile
#   t0 x row   t1 output row   t2 parameter row   t3 weight row   t8 channel blocks left   a0 a1 rows of a block of x, of outputs   ra taps
compute:
        beqz    s8, hand_over
        larg    a6, args[ending]
        andi    s5, a6, IS_SERIAL
        beqz    s5, windows
        fence
windows:
        xori    t9, s4, 1
        larg    t0, args[x_half]
        mul     t0, t0, t9
        larg    t4, args[x_base]
        add     t0, t0, t4
        add     t0, t0, s11
        mul     a1, s6, s7
        mv      s5, s7                          # rows of a plane of the results, which go to t1
        andi    t7, a6, Y_STAYS
        bnez    t7, y_stays
        larg    t1, args[output_half]
        mul     t1, t1, t9
        larg    t4, args[output_base]
        add     t1, t1, t4
        mv      s11, t1
        sync.vector wait(operands, results_free)
        j       is_there_a_table
y_stays:
        mv      t1, s10
        mv      s11, s10
        sync.vector wait(operands)
is_there_a_table:
        andi    t5, a6, LOOKUP
        bnez    t5, to_middle
        beqz    t7, operands_known
        larg    a1, args[y_block_rows]
        larg    s5, args[y_row_pitch]
        j       operands_known
to_middle:
        larg    t1, args[middle_base]
operands_known:
        larg    t2, args[parameter_half]
        mul     t2, t2, t9
        larg    t4, args[parameter_base]
        add     t2, t2, t4
        larg    t3, args[weight_half]
        mul     t3, t3, t9
        larg    t4, args[weight_base]
        add     t3, t3, t4
        larg    a0, args[x_block_rows]
        larg    ra, args[taps]
        larg    a2, args[stride_x]
        larg    a3, args[x_plane_step]
        larg    a4, args[lines]
        larg    a5, args[line_step]
        larg    a6, args[columns]
        larg    a7, args[dilation_x]
        larg    t5, args[w_zp]
        larg    t6, args[y_zp]
        larg    t7, args[y_min]
        larg    t9, args[y_max]
        mv      t8, s8
        larg    t4, args[operation]
        muli    t4, t4, OPERATION_WORDS
        jalr    zero, t4, operations
windows_end:
        larg    a6, args[ending]
        andi    t4, a6, LOOKUP
        bnez    t4, lookups
tile_end:
        andi    t4, a6, Y_STAYS
        bnez    t4, results_stay
        sync.vector post(operands_free, results)
        andi    s5, a6, IS_SERIAL
        beqz    s5, store_results
        fence
store_results:
        mul     a1, s6, s7
        larg    t1, args[y_pixel_pitch]
        larg    t2, args[y_row_pitch]
        store.b dram[s10], sp[s11], bytes=s9, rows=s7, stride=t1, block_step=a1, planes=s6, plane_stride=t2, plane_step=s7 wait(results) post(results_free)
        beqz    s5, next
        fence
        j       next
results_stay:
        sync.vector post(operands_free)
next:
        larg    t0, args[images]
        bge     s0, t0, end

# ------------------------------------------------------------------------------------------------ the next tile becomes this tile
hand_over:
        call    shape
        mv      s6, t0
        mv      s7, t1
        mv      s8, t2
        mv      s9, t3
        li      s11, 0
        larg    t7, args[x_stays]
        beqz    t7, y_place
        larg    s11, args[x_plane_step]         # s11 = row, pixel, channel block
        mul     s11, s11, s1
        larg    t7, args[stride_x]
        mul     t7, t7, s2
        add     s11, s11, t7
        larg    t7, args[x_block_rows]
        mul     t7, t7, s3
        add     s11, s11, t7
y_place:
        larg    t7, args[ending]
        andi    t7, t7, Y_STAYS
        beqz    t7, y_in_dram
        larg    s10, args[output_base]          # s10 = output_base + row, pixel, channel block
        larg    t7, args[y_row_pitch]
        mul     t7, t7, s1
        add     s10, s10, t7
        add     s10, s10, s2
        larg    t7, args[y_block_rows]
        mul     t7, t7, s3
        add     s10, s10, t7
        j       advance
y_in_dram:
        larg    s10, args[y]                    # s10 = y + image, row, pixel, channel
        larg    t7, args[y_image_pitch]
        mul     t7, t7, s0
        add     s10, s10, t7
        larg    t7, args[y_row_pitch]
        mul     t7, t7, s1
        add     s10, s10, t7
        larg    t7, args[y_pixel_pitch]
        mul     t7, t7, s2
        add     s10, s10, t7
        larg    t7, args[lanes]
        mul     t7, t7, s3
        add     s10, s10, t7
advance:
        xori    s4, s4, 1
        larg    t0, args[block_tile]            # channel blocks, then width, height, images
        larg    t1, args[blocks]
        add     s3, s3, t0
        blt     s3, t1, tile
        li      s3, 0
        larg    t0, args[width_tile]
        larg    t1, args[out_width]
        add     s2, s2, t0
        blt     s2, t1, tile
        li      s2, 0
        larg    t0, args[height_tile]
        larg    t1, args[out_height]
        add     s1, s1, t0
        blt     s1, t1, tile
        li      s1, 0
        addi    s0, s0, 1
        j       tile

# ------------------------------------------------------------------------------------------------ end: take the credits back
end:
        sync.load   wait(operands_free)
        sync.load   wait(operands_free)
        sync.vector wait(results_free)
        sync.vector wait(results_free)
        halt

# ------------------------------------------------------------------------------------------------ x lies in the scratchpad
wait_for_half:
        sync.load wait(operands_free)
        j       load_constants

# ------------------------------------------------------------------------------------------------ the table, of a finished tile
lookups:
        larg    t0, args[middle_base]
        larg    t3, args[table_base]
        mv      t1, s11
        andi    t4, a6, Y_STAYS
        mul     a1, s6, s7
        bnez    t4, lookups_stay
        mul     a1, a1, s8
        lookup  sp[t1], src=sp[t0], rows=a1, table=sp[t3]
        j       tile_end
lookups_stay:
        larg    t5, args[y_row_pitch]
        larg    a2, args[y_block_rows]
        mv      t8, s8
lookup_block:
        # lint: allow W0909 for launches to come
        lookup  sp[t1], src=sp[t0], rows=s7, planes=s6, plane_step=t5, src_plane_step=s7, table=sp[t3]
        add     t0, t0, a1
        add     t1, t1, a2
        addi    t8, t8, -1
        bnez    t8, lookup_block
        j       tile_end

# ------------------------------------------------------------------------------------------------ shape of the next tile
# -> t0 t1 height and width of y, t2 channel blocks, t3 their bytes
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
        larg    t7, args[lanes]
        mul     t6, s3, t7
        larg    t3, args[channels]
        sub     t3, t3, t6
        mul     t7, t2, t7
        min     t3, t3, t7
        ret

# ------------------------------------------------------------------------------------------------ operations
# Each loops over the t8 channel blocks of the tile. Order: depthwise, average, maximum; of each s8, then u8.
.equ OPERATION_WORDS, 9
operations:
        larg    t4, args[x_zp]
depthwise_windows:
        depthwise sp[t1], src=sp[t0], rows=s7, src_step=a2, planes=s6, plane_step=s5, src_plane_step=a3, lines=a4, line_step=a5, columns=a6, column_step=a7, params=sp[t2], weights=sp[t3], src_zp=t4, weights_zp=t5, zp=t6, min=t7, max=t9
        add     t0, t0, a0
        add     t1, t1, a1
        addi    t2, t2, PARAMETER_ROWS
        add     t3, t3, ra
        addi    t8, t8, -1
        bnez    t8, depthwise_windows
        j       windows_end
        larg    t4, args[x_zp]
depthwise_windows_u8:
        depthwise sp[t1], src=sp[t0], rows=s7, src_step=a2, planes=s6, plane_step=s5, src_plane_step=a3, lines=a4, line_step=a5, columns=a6, column_step=a7, params=sp[t2], weights=sp[t3], src_zp=t4, weights_zp=t5, zp=t6, min=t7, max=t9 u8
        add     t0, t0, a0
        add     t1, t1, a1
        addi    t2, t2, PARAMETER_ROWS
        add     t3, t3, ra
        addi    t8, t8, -1
        bnez    t8, depthwise_windows_u8
        j       windows_end
        larg    t4, args[x_zp]
average_windows:
        average sp[t1], src=sp[t0], rows=s7, src_step=a2, planes=s6, plane_step=s5, src_plane_step=a3, lines=a4, line_step=a5, columns=a6, column_step=a7, params=sp[t2], zp=t6, min=t7, max=t9
        add     t0, t0, a0
        add     t1, t1, a1
        addi    t2, t2, PARAMETER_ROWS
        add     t3, t3, ra
        addi    t8, t8, -1
        bnez    t8, average_windows
        j       windows_end
        larg    t4, args[x_zp]
average_windows_u8:
        average sp[t1], src=sp[t0], rows=s7, src_step=a2, planes=s6, plane_step=s5, src_plane_step=a3, lines=a4, line_step=a5, columns=a6, column_step=a7, params=sp[t2], zp=t6, min=t7, max=t9 u8
        add     t0, t0, a0
        add     t1, t1, a1
        addi    t2, t2, PARAMETER_ROWS
        add     t3, t3, ra
        addi    t8, t8, -1
        bnez    t8, average_windows_u8
        j       windows_end
        larg    t4, args[x_zp]
maximum_windows:
        maximum sp[t1], src=sp[t0], rows=s7, src_step=a2, planes=s6, plane_step=s5, src_plane_step=a3, lines=a4, line_step=a5, columns=a6, column_step=a7, min=t7, max=t9
        add     t0, t0, a0
        add     t1, t1, a1
        addi    t2, t2, PARAMETER_ROWS
        add     t3, t3, ra
        addi    t8, t8, -1
        bnez    t8, maximum_windows
        j       windows_end
        larg    t4, args[x_zp]
maximum_windows_u8:
        maximum sp[t1], src=sp[t0], rows=s7, src_step=a2, planes=s6, plane_step=s5, src_plane_step=a3, lines=a4, line_step=a5, columns=a6, column_step=a7, min=t7, max=t9 u8
        add     t0, t0, a0
        add     t1, t1, a1
        addi    t2, t2, PARAMETER_ROWS
        add     t3, t3, ra
        addi    t8, t8, -1
        bnez    t8, maximum_windows_u8
        j       windows_end

# ------------------------------------------------------------------------------------------------ cases for the lint
# written by tests/lint/kernel_cases.py from the planners: small tiles, so that every loop turns and every credit comes round
.case edge_3x3, machine=edge-16, images=1, y_image_pitch=3240, y_row_pitch=360, y_pixel_pitch=40, x_image_pitch=3240, x_row_pitch=360
.case edge_3x3, x_pixel_pitch=40, height=9, width=9, channels=40, lines=3, columns=3, taps=9, span_height=3, span_width=3, stride_y=1
.case edge_3x3, stride_x=1, dilation_x=1, pad_top=1, pad_left=1, out_height=9, out_width=9, operation=0, x_fill=4, x_zp=4, w_zp=2, y_zp=-1
.case edge_3x3, y_min=-128, y_max=127, lanes=16, blocks=3, height_tile=4, width_tile=4, block_tile=2, x_width=6, x_block_rows=36
.case edge_3x3, x_height_all=12, x_plane_step=6, line_step=6, x_base=0, x_half=72, weight_base=144, weight_half=18, parameter_base=180
.case edge_3x3, parameter_half=16, output_base=2048, output_half=32, ending=0, table_base=212, middle_base=2048, x_stays=0, y_block_rows=0
.case tiny_5x5, machine=tiny-8, images=2, y_image_pitch=980, y_row_pitch=140, y_pixel_pitch=20, x_image_pitch=980, x_row_pitch=140
.case tiny_5x5, x_pixel_pitch=20, height=7, width=7, channels=20, lines=5, columns=5, taps=25, span_height=5, span_width=5, stride_y=1
.case tiny_5x5, stride_x=1, dilation_x=1, pad_top=2, pad_left=2, out_height=7, out_width=7, operation=1, x_fill=4, x_zp=4, w_zp=2, y_zp=-1
.case tiny_5x5, y_min=-128, y_max=127, lanes=8, blocks=3, height_tile=3, width_tile=3, block_tile=1, x_width=7, x_block_rows=49
.case tiny_5x5, x_height_all=7, x_plane_step=7, line_step=7, x_base=0, x_half=49, weight_base=98, weight_half=25, parameter_base=148
.case tiny_5x5, parameter_half=8, output_base=512, output_half=9, ending=0, table_base=164, middle_base=512, x_stays=0, y_block_rows=0
.case tiny_padding, machine=tiny-8, images=1, y_image_pitch=392, y_row_pitch=56, y_pixel_pitch=8, x_image_pitch=72, x_row_pitch=24
.case tiny_padding, x_pixel_pitch=8, height=3, width=3, channels=8, lines=1, columns=1, taps=1, span_height=1, span_width=1, stride_y=1
.case tiny_padding, stride_x=1, dilation_x=1, pad_top=2, pad_left=2, out_height=7, out_width=7, operation=0, x_fill=4, x_zp=4, w_zp=2
.case tiny_padding, y_zp=-1, y_min=-128, y_max=127, lanes=8, blocks=1, height_tile=2, width_tile=2, block_tile=1, x_width=2
.case tiny_padding, x_block_rows=4, x_height_all=2, x_plane_step=2, line_step=2, x_base=0, x_half=4, weight_base=8, weight_half=1
.case tiny_padding, parameter_base=10, parameter_half=8, output_base=512, output_half=4, ending=0, table_base=26, middle_base=512
.case tiny_padding, x_stays=0, y_block_rows=0
.case serial_3x3, machine=serial-4.toml, images=1, y_image_pitch=150, y_row_pitch=30, y_pixel_pitch=6, x_image_pitch=150, x_row_pitch=30
.case serial_3x3, x_pixel_pitch=6, height=5, width=5, channels=6, lines=3, columns=3, taps=9, span_height=3, span_width=3, stride_y=1
.case serial_3x3, stride_x=1, dilation_x=1, pad_top=1, pad_left=1, out_height=5, out_width=5, operation=0, x_fill=4, x_zp=4, w_zp=2
.case serial_3x3, y_zp=-1, y_min=-128, y_max=127, lanes=4, blocks=2, height_tile=2, width_tile=3, block_tile=1, x_width=5, x_block_rows=20
.case serial_3x3, x_height_all=4, x_plane_step=5, line_step=5, x_base=0, x_half=20, weight_base=40, weight_half=9, parameter_base=58
.case serial_3x3, parameter_half=8, output_base=74, output_half=6, ending=1, table_base=74, middle_base=74, x_stays=0, y_block_rows=0
.case tiny_table, machine=tiny-8, images=1, y_image_pitch=980, y_row_pitch=140, y_pixel_pitch=20, x_image_pitch=980, x_row_pitch=140
.case tiny_table, x_pixel_pitch=20, height=7, width=7, channels=20, lines=3, columns=3, taps=9, span_height=3, span_width=3, stride_y=1
.case tiny_table, stride_x=1, dilation_x=1, pad_top=1, pad_left=1, out_height=7, out_width=7, operation=0, x_fill=4, x_zp=4, w_zp=2
.case tiny_table, y_zp=-1, y_min=-128, y_max=127, lanes=8, blocks=3, height_tile=3, width_tile=3, block_tile=2, x_width=5, x_block_rows=25
.case tiny_table, x_height_all=10, x_plane_step=5, line_step=5, x_base=0, x_half=50, weight_base=100, weight_half=18, parameter_base=136
.case tiny_table, parameter_half=16, output_base=1024, output_half=18, ending=2, table_base=168, middle_base=512, x_stays=0
.case tiny_table, y_block_rows=0
.case tiny_stays, machine=tiny-8, images=1, y_image_pitch=500, y_row_pitch=5, y_pixel_pitch=20, x_image_pitch=500, x_row_pitch=100
.case tiny_stays, x_pixel_pitch=20, height=5, width=5, channels=20, lines=3, columns=3, taps=9, span_height=3, span_width=3, stride_y=1
.case tiny_stays, stride_x=1, dilation_x=1, pad_top=1, pad_left=1, out_height=5, out_width=5, operation=0, x_fill=4, x_zp=4, w_zp=2
.case tiny_stays, y_zp=-1, y_min=-128, y_max=127, lanes=8, blocks=3, height_tile=3, width_tile=2, block_tile=2, x_width=7, x_block_rows=49
.case tiny_stays, x_height_all=14, x_plane_step=7, line_step=7, x_base=2048, x_half=0, weight_base=0, weight_half=18, parameter_base=36
.case tiny_stays, parameter_half=16, output_base=3072, output_half=12, ending=64, table_base=68, middle_base=512, x_stays=1
.case tiny_stays, y_block_rows=25, kept=1
.case tiny_table_stays, machine=tiny-8, images=1, y_image_pitch=500, y_row_pitch=5, y_pixel_pitch=20, x_image_pitch=500, x_row_pitch=100
.case tiny_table_stays, x_pixel_pitch=20, height=5, width=5, channels=20, lines=3, columns=3, taps=9, span_height=3, span_width=3
.case tiny_table_stays, stride_y=1, stride_x=1, dilation_x=1, pad_top=1, pad_left=1, out_height=5, out_width=5, operation=0, x_fill=4
.case tiny_table_stays, x_zp=4, w_zp=2, y_zp=-1, y_min=-128, y_max=127, lanes=8, blocks=3, height_tile=3, width_tile=2, block_tile=2
.case tiny_table_stays, x_width=4, x_block_rows=20, x_height_all=10, x_plane_step=4, line_step=4, x_base=0, x_half=40, weight_base=80
.case tiny_table_stays, weight_half=18, parameter_base=116, parameter_half=16, output_base=3072, output_half=12, ending=66, table_base=148
.case tiny_table_stays, middle_base=512, x_stays=0, y_block_rows=25, kept=1
.case serial_table, machine=serial-4.toml, images=1, y_image_pitch=150, y_row_pitch=30, y_pixel_pitch=6, x_image_pitch=150, x_row_pitch=30
.case serial_table, x_pixel_pitch=6, height=5, width=5, channels=6, lines=3, columns=3, taps=9, span_height=3, span_width=3, stride_y=1
.case serial_table, stride_x=1, dilation_x=1, pad_top=1, pad_left=1, out_height=5, out_width=5, operation=0, x_fill=4, x_zp=4, w_zp=2
.case serial_table, y_zp=-1, y_min=-128, y_max=127, lanes=4, blocks=2, height_tile=2, width_tile=3, block_tile=1, x_width=5
.case serial_table, x_block_rows=20, x_height_all=4, x_plane_step=5, line_step=5, x_base=0, x_half=20, weight_base=40, weight_half=9
.case serial_table, parameter_base=58, parameter_half=8, output_base=144, output_half=6, ending=3, table_base=74, middle_base=138
.case serial_table, x_stays=0, y_block_rows=0
.case tiny_average, machine=tiny-8, images=3, y_image_pitch=40, y_row_pitch=40, y_pixel_pitch=40, x_image_pitch=640, x_row_pitch=160
.case tiny_average, x_pixel_pitch=40, height=4, width=4, channels=40, lines=4, columns=4, taps=16, span_height=4, span_width=4, stride_y=1
.case tiny_average, stride_x=1, dilation_x=1, pad_top=0, pad_left=0, out_height=1, out_width=1, operation=2, x_fill=3, x_zp=0, w_zp=0
.case tiny_average, y_zp=3, y_min=-128, y_max=127, lanes=8, blocks=5, height_tile=1, width_tile=1, block_tile=5, x_width=4
.case tiny_average, x_block_rows=16, x_height_all=20, x_plane_step=4, line_step=4, x_base=0, x_half=80, weight_base=160, weight_half=0
.case tiny_average, parameter_base=160, parameter_half=40, output_base=512, output_half=5, ending=0, table_base=240, middle_base=512
.case tiny_average, x_stays=0, y_block_rows=0
.case tiny_average_u8, machine=tiny-8, images=3, y_image_pitch=40, y_row_pitch=40, y_pixel_pitch=40, x_image_pitch=640, x_row_pitch=160
.case tiny_average_u8, x_pixel_pitch=40, height=4, width=4, channels=40, lines=4, columns=4, taps=16, span_height=4, span_width=4
.case tiny_average_u8, stride_y=1, stride_x=1, dilation_x=1, pad_top=0, pad_left=0, out_height=1, out_width=1, operation=3, x_fill=3
.case tiny_average_u8, x_zp=0, w_zp=0, y_zp=3, y_min=0, y_max=255, lanes=8, blocks=5, height_tile=1, width_tile=1, block_tile=5, x_width=4
.case tiny_average_u8, x_block_rows=16, x_height_all=20, x_plane_step=4, line_step=4, x_base=0, x_half=80, weight_base=160, weight_half=0
.case tiny_average_u8, parameter_base=160, parameter_half=40, output_base=512, output_half=5, ending=0, table_base=240, middle_base=512
.case tiny_average_u8, x_stays=0, y_block_rows=0
.case tiny_maximum, machine=tiny-8, images=3, y_image_pitch=320, y_row_pitch=80, y_pixel_pitch=20, x_image_pitch=1280, x_row_pitch=160
.case tiny_maximum, x_pixel_pitch=20, height=8, width=8, channels=20, lines=2, columns=2, taps=4, span_height=2, span_width=2, stride_y=2
.case tiny_maximum, stride_x=2, dilation_x=1, pad_top=0, pad_left=0, out_height=4, out_width=4, operation=4, x_fill=-128, x_zp=0, w_zp=0
.case tiny_maximum, y_zp=3, y_min=-128, y_max=127, lanes=8, blocks=3, height_tile=4, width_tile=4, block_tile=3, x_width=8
.case tiny_maximum, x_block_rows=64, x_height_all=24, x_plane_step=16, line_step=8, x_base=0, x_half=192, weight_base=384, weight_half=0
.case tiny_maximum, parameter_base=384, parameter_half=0, output_base=512, output_half=48, ending=0, table_base=384, middle_base=512
.case tiny_maximum, x_stays=0, y_block_rows=0
.case odd_maximum_u8, machine=odd-6.toml, images=3, y_image_pitch=500, y_row_pitch=100, y_pixel_pitch=20, x_image_pitch=1620
.case odd_maximum_u8, x_row_pitch=180, x_pixel_pitch=20, height=9, width=9, channels=20, lines=3, columns=3, taps=9, span_height=3
.case odd_maximum_u8, span_width=3, stride_y=2, stride_x=2, dilation_x=1, pad_top=1, pad_left=1, out_height=5, out_width=5, operation=5
.case odd_maximum_u8, x_fill=0, x_zp=0, w_zp=0, y_zp=3, y_min=0, y_max=255, lanes=6, blocks=4, height_tile=5, width_tile=5, block_tile=1
.case odd_maximum_u8, x_width=11, x_block_rows=121, x_height_all=11, x_plane_step=22, line_step=11, x_base=0, x_half=121, weight_base=242
.case odd_maximum_u8, weight_half=0, parameter_base=242, parameter_half=0, output_base=262, output_half=25, ending=0, table_base=242
.case odd_maximum_u8, middle_base=262, x_stays=0, y_block_rows=0
