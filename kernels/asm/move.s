# move: copies a box of bytes from one strided place in DRAM to another, after filling a second box with a constant
#
# The box has four levels: items, planes, rows, bytes; source and destination have a pitch of their own for each of the first three, so
# that slices, concatenations, permutations of axes, padding and repetition (a pitch of 0) are all one copy. The fill is for borders.
#
# The box is cut into tiles of plane_tile x row_tile rows of byte_tile bytes, which pass through two halves of the scratchpad: while store
# empties one, load fills the other. In program order every wait comes after its post: then no queue depth can deadlock.
#
# Scratchpad (rows): row 0 holds the byte of the fill; from row 1 on two halves [column blocks][planes][rows], tile_rows each.
#
# Registers: s0 .. s3 item, plane, row, byte of the tile; s4 half of the scratchpad

.arg src,        in,  s8[*]
.arg dst_bytes,  value                  # size of the buffer that dst lies in
.arg dst,        out, s8[dst_bytes]
.arg dst_offset, value                  # first byte of the box in dst
.arg items,      value                  # 0: nothing to copy
.arg planes,     value
.arg rows,       value
.arg bytes,      value
.arg src_item_pitch, value
.arg src_plane_pitch, value
.arg src_row_pitch, value
.arg dst_item_pitch, value
.arg dst_plane_pitch, value
.arg dst_row_pitch, value
.arg plane_tile, value
.arg row_tile,   value
.arg byte_tile,  value                  # a multiple of the lanes, or all
.arg block_step, value                  # plane_tile * row_tile: rows of a column block
.arg tile_rows,  value                  # of all column blocks
.arg fill_offset, value                 # first byte of the fill in dst
.arg fill_planes, value                 # 0: nothing to fill
.arg fill_rows,  value
.arg fill_bytes, value
.arg fill_plane_pitch, value
.arg fill_row_pitch, value
.arg fill,       value

.token full = load -> store.0
.token free = store -> load.0

        larg    t0, args[fill_planes]
        beqz    t0, copy
        larg    t1, args[fill]
        li      t2, 0                           # a step of 0: one scratchpad row for all
        fill.b  sp[zero], fill=t1 post(full)
        larg    t3, args[dst]
        larg    t4, args[fill_offset]
        add     t3, t3, t4
        larg    t4, args[fill_bytes]
        larg    t5, args[fill_rows]
        larg    t6, args[fill_row_pitch]
        larg    t7, args[fill_plane_pitch]
        store.b dram[t3], sp[zero], bytes=t4, rows=t5, stride=t6, step=t2, block_step=t2, planes=t0, plane_stride=t7, plane_step=t2 wait(full)
copy:
        larg    t0, args[items]
        beqz    t0, stop
        li      s0, 0
        li      s1, 0
        li      s2, 0
        li      s3, 0
        li      s4, 0
        sync.store post(free)
        sync.store post(free)
tile:
        larg    t0, args[plane_tile]            # t0 t1 t2 planes, rows, bytes of this tile
        larg    t6, args[planes]
        sub     t6, t6, s1
        min     t0, t0, t6
        larg    t1, args[row_tile]
        larg    t6, args[rows]
        sub     t6, t6, s2
        min     t1, t1, t6
        larg    t2, args[byte_tile]
        larg    t6, args[bytes]
        sub     t6, t6, s3
        min     t2, t2, t6
        larg    t3, args[tile_rows]             # t3 scratchpad row
        mul     t3, t3, s4
        addi    t3, t3, 1
        xori    s4, s4, 1
        larg    t4, args[src]                   # t4 source, t5 its row pitch, t6 its plane pitch
        larg    t5, args[src_item_pitch]
        mul     t5, t5, s0
        add     t4, t4, t5
        larg    t6, args[src_plane_pitch]
        mul     t5, t6, s1
        add     t4, t4, t5
        larg    t5, args[src_row_pitch]
        mul     t7, t5, s2
        add     t4, t4, t7
        add     t4, t4, s3
        larg    t8, args[row_tile]
        larg    t9, args[block_step]
        load.b  sp[t3], dram[t4], bytes=t2, rows=t1, stride=t5, block_step=t9, planes=t0, plane_stride=t6, plane_step=t8 wait(free) post(full)
        larg    t4, args[dst]                   # the same of the destination
        larg    t5, args[dst_offset]
        add     t4, t4, t5
        larg    t5, args[dst_item_pitch]
        mul     t5, t5, s0
        add     t4, t4, t5
        larg    t6, args[dst_plane_pitch]
        mul     t5, t6, s1
        add     t4, t4, t5
        larg    t5, args[dst_row_pitch]
        mul     t7, t5, s2
        add     t4, t4, t7
        add     t4, t4, s3
        store.b dram[t4], sp[t3], bytes=t2, rows=t1, stride=t5, block_step=t9, planes=t0, plane_stride=t6, plane_step=t8 wait(full) post(free)
        larg    t0, args[byte_tile]             # bytes, then rows, planes, items
        larg    t1, args[bytes]
        add     s3, s3, t0
        blt     s3, t1, tile
        li      s3, 0
        larg    t0, args[row_tile]
        larg    t1, args[rows]
        add     s2, s2, t0
        blt     s2, t1, tile
        li      s2, 0
        larg    t0, args[plane_tile]
        larg    t1, args[planes]
        add     s1, s1, t0
        blt     s1, t1, tile
        li      s1, 0
        larg    t1, args[items]
        addi    s0, s0, 1
        blt     s0, t1, tile
        sync.load wait(free)
        sync.load wait(free)
stop:
        halt

# ------------------------------------------------------------------------------------------------ cases for the lint
# written by tests/lint/kernel_cases.py from the planners: small tiles, so that every loop turns and every credit comes round
.case edge_copy, machine=edge-16, dst_bytes=1800, dst_offset=0, items=1, planes=1, rows=60, bytes=30, src_item_pitch=0, src_plane_pitch=0
.case edge_copy, src_row_pitch=35, dst_item_pitch=0, dst_plane_pitch=0, dst_row_pitch=30, plane_tile=1, row_tile=32, byte_tile=30
.case edge_copy, block_step=32, tile_rows=64, fill_offset=100, fill_planes=1, fill_rows=3, fill_bytes=20, fill_plane_pitch=0
.case edge_copy, fill_row_pitch=700, fill=7
.case tiny_permute, machine=tiny-8, dst_bytes=800, dst_offset=0, items=2, planes=20, rows=20, bytes=1, src_item_pitch=400
.case tiny_permute, src_plane_pitch=1, src_row_pitch=20, dst_item_pitch=400, dst_plane_pitch=20, dst_row_pitch=1, plane_tile=3
.case tiny_permute, row_tile=20, byte_tile=1, block_step=60, tile_rows=60, fill_offset=0, fill_planes=0, fill_rows=1, fill_bytes=1
.case tiny_permute, fill_plane_pitch=0, fill_row_pitch=0, fill=0
.case serial_fill, machine=serial-4.toml, dst_bytes=32, dst_offset=0, items=0, planes=1, rows=1, bytes=0, src_item_pitch=0
.case serial_fill, src_plane_pitch=0, src_row_pitch=0, dst_item_pitch=0, dst_plane_pitch=0, dst_row_pitch=0, plane_tile=1, row_tile=1
.case serial_fill, byte_tile=1, block_step=1, tile_rows=1, fill_offset=3, fill_planes=1, fill_rows=4, fill_bytes=5, fill_plane_pitch=0
.case serial_fill, fill_row_pitch=8, fill=9
.case serial_repeat, machine=serial-4.toml, dst_bytes=3300, dst_offset=0, items=1, planes=50, rows=2, bytes=33, src_item_pitch=0
.case serial_repeat, src_plane_pitch=33, src_row_pitch=0, dst_item_pitch=0, dst_plane_pitch=66, dst_row_pitch=33, plane_tile=3, row_tile=2
.case serial_repeat, byte_tile=33, block_step=6, tile_rows=54, fill_offset=0, fill_planes=0, fill_rows=1, fill_bytes=1, fill_plane_pitch=0
.case serial_repeat, fill_row_pitch=0, fill=0
