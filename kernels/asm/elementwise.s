# elementwise: y = table[left], or the quantised sum or product of left and right, byte by byte
#
# The tensors are boxes of planes x rows x bytes, each with pitches of its own: a pitch of 0 broadcasts. The box is cut into tiles of
# plane_tile x row_tile rows of byte_tile bytes.
#
#   load    tile i + 1: both operands into one half of their scratchpad regions
#   vector  tile i: all of it with one instruction
#   store   tile i - 1
#
# Each region has two halves, used in turn. In program order every wait comes after its post: then no queue depth can deadlock.
#
# Scratchpad regions (rows): table; left, right, outputs, two halves each: [column blocks][planes][rows] of the tile, without gaps
#
# Registers
#   s0 s1 s2   the next tile: plane, row, byte                  s3  its half
#   s4 .. s7   this tile: planes (0 before the first), rows, bytes, DRAM address of its outputs         s8  is_serial

.arg left,       in,  s8[*]             # or u8
.arg right,      in,  s8[*]             # or u8, for sums and products
.arg table,      in,  u8[*]             # 256 bytes, for lookups
.arg y_bytes,    value                  # size of the buffer that y lies in
.arg y,          out, s8[y_bytes]       # or u8
.arg planes,     value
.arg rows,       value
.arg bytes,      value
.arg left_plane_pitch, value
.arg left_row_pitch, value
.arg right_plane_pitch, value
.arg right_row_pitch, value
.arg y_plane_pitch, value
.arg y_row_pitch, value
.arg plane_tile, value
.arg row_tile,   value
.arg byte_tile,  value                  # a multiple of the lanes, or all
.arg operation,  value                  # 0 lookup, 1 sum, 2 product, 3 sum of u8, 4 product of u8
.arg left_zp,    value                  # product: zero points, and binary32 scale of both over that of y
.arg right_zp,   value
.arg scale,      value
.arg y_zp,       value
.arg left_scale, value                  # sum: binary32 scales over that of y, and all zero points in one addend
.arg right_scale, value
.arg offset,     value
.arg y_min,      value
.arg y_max,      value
.arg tile_blocks, value                 # column blocks of byte_tile bytes, and
.arg last_blocks, value                 # of the rest where bytes end in a smaller tile
.arg table_base, value
.arg left_base,  value
.arg right_base, value
.arg output_base, value
.arg tile_rows,  value                  # distance of the second halves
.arg is_serial,  value                  # 1: regions share banks, so that vector and store work alone

.token operands      = load -> vector.0
.token operands_free = vector -> load.0
.token results       = vector -> store.0
.token results_free  = store -> vector.0

        li      s0, 0
        li      s1, 0
        li      s2, 0
        li      s3, 0
        li      s4, 0
        larg    s8, args[is_serial]
        sync.vector post(operands_free)
        sync.vector post(operands_free)
        sync.store  post(results_free)
        sync.store  post(results_free)
        larg    t0, args[operation]
        bnez    t0, tile
        larg    t0, args[table_base]
        larg    t1, args[table]
        li      t2, 256
        load.b  sp[t0], dram[t1], bytes=t2      # its blocks lie in consecutive rows

# ------------------------------------------------------------------------------------------------ one tile each time round
tile:
        larg    t0, args[planes]
        bge     s0, t0, compute                 # no next tile
        call    shape
        larg    t4, args[tile_rows]
        mul     t4, t4, s3
        larg    t5, args[left_base]
        add     t5, t5, t4
        larg    t6, args[left]
        larg    t7, args[left_plane_pitch]
        larg    t8, args[left_row_pitch]
        call    place
        larg    t9, args[operation]
        bnez    t9, two_operands
        load.b  sp[t5], dram[t6], bytes=t2, rows=t1, stride=t8, block_step=t3, planes=t0, plane_stride=t7, plane_step=t1 wait(operands_free) post(operands)
        j       compute
two_operands:
        load.b  sp[t5], dram[t6], bytes=t2, rows=t1, stride=t8, block_step=t3, planes=t0, plane_stride=t7, plane_step=t1 wait(operands_free)
        larg    t5, args[right_base]
        add     t5, t5, t4
        larg    t6, args[right]
        larg    t7, args[right_plane_pitch]
        larg    t8, args[right_row_pitch]
        call    place
        load.b  sp[t5], dram[t6], bytes=t2, rows=t1, stride=t8, block_step=t3, planes=t0, plane_stride=t7, plane_step=t1 post(operands)

# ------------------------------------------------------------------------------------------------ vector and store: this tile
compute:
        beqz    s4, hand_over
        beqz    s8, operate
        fence
operate:
        xori    t4, s3, 1
        larg    t5, args[tile_rows]
        mul     t4, t4, t5
        larg    t0, args[left_base]
        add     t0, t0, t4
        larg    t1, args[right_base]
        add     t1, t1, t4
        larg    t2, args[output_base]
        add     t2, t2, t4
        mul     t3, s4, s5                      # t3 scratchpad rows of a column block, t4 of all
        larg    t4, args[tile_blocks]
        larg    t5, args[byte_tile]
        beq     s6, t5, blocks_known
        larg    t4, args[last_blocks]
blocks_known:
        mul     t4, t4, t3
        larg    t8, args[y_min]
        larg    t9, args[y_max]
        larg    t5, args[operation]
        muli    t5, t5, OPERATION_WORDS
        jalr    zero, t5, operations
operated:
        beqz    s8, store_results
        fence
store_results:
        larg    t7, args[y_plane_pitch]
        larg    t8, args[y_row_pitch]
        store.b dram[s7], sp[t2], bytes=s6, rows=s5, stride=t8, block_step=t3, planes=s4, plane_stride=t7, plane_step=s5 wait(results) post(results_free)
        beqz    s8, next
        fence
next:
        larg    t0, args[planes]
        bge     s0, t0, end

# ------------------------------------------------------------------------------------------------ the next tile becomes this tile
hand_over:
        call    shape
        mv      s4, t0
        mv      s5, t1
        mv      s6, t2
        larg    t6, args[y]
        larg    t7, args[y_plane_pitch]
        larg    t8, args[y_row_pitch]
        call    place
        mv      s7, t6
        xori    s3, s3, 1
        larg    t0, args[byte_tile]             # bytes, then rows, planes
        larg    t1, args[bytes]
        add     s2, s2, t0
        blt     s2, t1, tile
        li      s2, 0
        larg    t0, args[row_tile]
        larg    t1, args[rows]
        add     s1, s1, t0
        blt     s1, t1, tile
        li      s1, 0
        larg    t0, args[plane_tile]
        add     s0, s0, t0
        j       tile

# ------------------------------------------------------------------------------------------------ end: take the credits back
end:
        sync.load   wait(operands_free)
        sync.load   wait(operands_free)
        sync.vector wait(results_free)
        sync.vector wait(results_free)
        halt

# ------------------------------------------------------------------------------------------------ shape of the next tile
# -> t0 t1 t2 planes, rows, bytes, t3 = t0 * t1; changes t6
shape:
        larg    t0, args[plane_tile]
        larg    t6, args[planes]
        sub     t6, t6, s0
        min     t0, t0, t6
        larg    t1, args[row_tile]
        larg    t6, args[rows]
        sub     t6, t6, s1
        min     t1, t1, t6
        larg    t2, args[byte_tile]
        larg    t6, args[bytes]
        sub     t6, t6, s2
        min     t2, t2, t6
        mul     t3, t0, t1
        ret

# t6 tensor, t7 t8 its pitches of planes and rows -> t6 address of the next tile; changes t9
place:
        mul     t9, t7, s0
        add     t6, t6, t9
        mul     t9, t8, s1
        add     t6, t6, t9
        add     t6, t6, s2
        ret

# ------------------------------------------------------------------------------------------------ operations
.equ OPERATION_WORDS, 6
operations:
        larg    t5, args[table_base]
        lookup  sp[t2], src=sp[t0], rows=t4, table=sp[t5] wait(operands, results_free) post(operands_free, results)
        j       operated
        nop
        nop
        nop
        larg    t5, args[left_scale]
        larg    t6, args[right_scale]
        larg    t7, args[offset]
        add.b   sp[t2], left=sp[t0], right=sp[t1], rows=t4, left_scale=t5, right_scale=t6, offset=t7, min=t8, max=t9 wait(operands, results_free) post(operands_free, results)
        j       operated
        nop
        larg    t5, args[left_zp]
        larg    t6, args[right_zp]
        larg    t7, args[scale]
        larg    ra, args[y_zp]
        multiply.b sp[t2], left=sp[t0], right=sp[t1], rows=t4, left_zp=t5, right_zp=t6, scale=t7, zp=ra, min=t8, max=t9 wait(operands, results_free) post(operands_free, results)
        j       operated
        larg    t5, args[left_scale]
        larg    t6, args[right_scale]
        larg    t7, args[offset]
        add.b   sp[t2], left=sp[t0], right=sp[t1], rows=t4, left_scale=t5, right_scale=t6, offset=t7, min=t8, max=t9 u8 wait(operands, results_free) post(operands_free, results)
        j       operated
        nop
        larg    t5, args[left_zp]
        larg    t6, args[right_zp]
        larg    t7, args[scale]
        larg    ra, args[y_zp]
        multiply.b sp[t2], left=sp[t0], right=sp[t1], rows=t4, left_zp=t5, right_zp=t6, scale=t7, zp=ra, min=t8, max=t9 u8 wait(operands, results_free) post(operands_free, results)
        j       operated

# ------------------------------------------------------------------------------------------------ cases for the lint
# written by tests/lint/kernel_cases.py from the planners: small tiles, so that every loop turns and every credit comes round
.case tiny_lookup, machine=tiny-8, y_bytes=5000, planes=1, rows=1, bytes=5000, left_plane_pitch=0, left_row_pitch=0, right_plane_pitch=0
.case tiny_lookup, right_row_pitch=0, y_plane_pitch=0, y_row_pitch=0, plane_tile=1, row_tile=1, byte_tile=512, operation=0, left_zp=0
.case tiny_lookup, right_zp=0, scale=0, y_zp=0, left_scale=0, right_scale=0, offset=0, y_min=-128, y_max=255, tile_blocks=64
.case tiny_lookup, last_blocks=49, table_base=0, left_base=32, right_base=160, output_base=512, tile_rows=64, is_serial=0
.case serial_lookup, machine=serial-4.toml, y_bytes=3000, planes=1, rows=1, bytes=3000, left_plane_pitch=0, left_row_pitch=0
.case serial_lookup, right_plane_pitch=0, right_row_pitch=0, y_plane_pitch=0, y_row_pitch=0, plane_tile=1, row_tile=1, byte_tile=256
.case serial_lookup, operation=0, left_zp=0, right_zp=0, scale=0, y_zp=0, left_scale=0, right_scale=0, offset=0, y_min=-128, y_max=255
.case serial_lookup, tile_blocks=64, last_blocks=46, table_base=0, left_base=64, right_base=192, output_base=192, tile_rows=64
.case serial_lookup, is_serial=1
.case edge_add, machine=edge-16, y_bytes=1500, planes=1, rows=1, bytes=1500, left_plane_pitch=0, left_row_pitch=0, right_plane_pitch=0
.case edge_add, right_row_pitch=0, y_plane_pitch=0, y_row_pitch=0, plane_tile=1, row_tile=1, byte_tile=1024, operation=1, left_zp=3
.case edge_add, right_zp=4, scale=1042983595, y_zp=5, left_scale=1059760811, right_scale=1051372203, offset=1070945620, y_min=-128
.case edge_add, y_max=127, tile_blocks=64, last_blocks=30, table_base=0, left_base=0, right_base=128, output_base=2048, tile_rows=64
.case edge_add, is_serial=0
.case tiny_add_u8, machine=tiny-8, y_bytes=2400, planes=40, rows=3, bytes=20, left_plane_pitch=60, left_row_pitch=20, right_plane_pitch=20
.case tiny_add_u8, right_row_pitch=0, y_plane_pitch=60, y_row_pitch=20, plane_tile=7, row_tile=3, byte_tile=20, operation=3, left_zp=3
.case tiny_add_u8, right_zp=4, scale=1042983595, y_zp=5, left_scale=1059760811, right_scale=1051372203, offset=1070945620, y_min=0
.case tiny_add_u8, y_max=255, tile_blocks=3, last_blocks=0, table_base=0, left_base=0, right_base=126, output_base=512, tile_rows=63
.case tiny_add_u8, is_serial=0
.case odd_multiply, machine=odd-6.toml, y_bytes=1200, planes=1, rows=40, bytes=30, left_plane_pitch=0, left_row_pitch=30
.case odd_multiply, right_plane_pitch=0, right_row_pitch=0, y_plane_pitch=0, y_row_pitch=30, plane_tile=1, row_tile=12, byte_tile=30
.case odd_multiply, operation=2, left_zp=3, right_zp=4, scale=1042983595, y_zp=5, left_scale=1059760811, right_scale=1051372203
.case odd_multiply, offset=1070945620, y_min=-128, y_max=127, tile_blocks=5, last_blocks=0, table_base=0, left_base=0, right_base=120
.case odd_multiply, output_base=262, tile_rows=60, is_serial=0
.case serial_multiply_u8, machine=serial-4.toml, y_bytes=360, planes=1, rows=9, bytes=40, left_plane_pitch=0, left_row_pitch=40
.case serial_multiply_u8, right_plane_pitch=0, right_row_pitch=0, y_plane_pitch=0, y_row_pitch=40, plane_tile=1, row_tile=6, byte_tile=40
.case serial_multiply_u8, operation=4, left_zp=3, right_zp=4, scale=1042983595, y_zp=5, left_scale=1059760811, right_scale=1051372203
.case serial_multiply_u8, offset=1070945620, y_min=0, y_max=255, tile_blocks=10, last_blocks=0, table_base=0, left_base=0, right_base=120
.case serial_multiply_u8, output_base=240, tile_rows=60, is_serial=1
