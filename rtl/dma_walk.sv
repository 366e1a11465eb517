// The beats of a DMA transfer: planes, rows, column blocks, bus words, one beat a cycle from the cycle of `start` on. A beat
// outside the open page comes PAGE_MISS cycles later. A load (IS_LOAD) does not fetch a word again that it fetched last;
// such a piece takes one beat all the same.
module dma_walk #(
    parameter bit IS_LOAD = 1'b1
) (
    input  logic                 clk,
    input  logic                 rst,
    input  logic                 start,
    input  types_pkg::transfer_t transfer,
    output logic                 is_busy,   // a transfer that started in an earlier cycle has beats left
    output logic                 is_miss,   // this cycle goes to opening a page
    output logic                 has_beat,
    output types_pkg::beat_t     beat
);
  localparam int BUS = machine_pkg::BUS;
  localparam int ROW_BITS = machine_pkg::ROW_BITS;

  typedef struct packed {
    types_pkg::transfer_t transfer;
    logic [15:0]          planes_left;
    logic [15:0]          rows_left;
    logic [15:0]          bytes_left;     // of the row, from this piece on
    logic [31:0]          plane_address;
    logic [31:0]          row_address;
    logic [31:0]          address;        // of the piece
    logic [ROW_BITS-1:0]  plane_row;
    logic [ROW_BITS-1:0]  row_row;
    logic [ROW_BITS-1:0]  row;            // of the piece
    logic                 is_in_piece;    // beats of the piece have been
    logic [31:0]          word;           // the next, if so
    logic                 has_held;       // the transfer has fetched a word
    logic [31:0]          held;           // the latest
  } state_t;
  state_t state, now, following;

  // The beat of this cycle.
  logic [15:0] width, length;
  logic [31:0] first_word, last_word, word;
  logic reuses, has_word, is_piece_last, is_last_block;

  always_comb begin
    now = state;
    if (start) begin
      now = '0;
      now.transfer = transfer;
      now.planes_left = transfer.planes;
      now.rows_left = transfer.rows;
      now.bytes_left = transfer.bytes;
      now.plane_address = transfer.dram;
      now.row_address = transfer.dram;
      now.address = transfer.dram;
      now.plane_row = transfer.row;
      now.row_row = transfer.row;
      now.row = transfer.row;
    end

    width = now.transfer.is_words ? 16'(4 * machine_pkg::COLUMNS) : 16'(machine_pkg::LANES);
    is_last_block = now.bytes_left <= width;
    length = is_last_block ? now.bytes_left : width;
    first_word = now.address / BUS;
    last_word = (now.address + 32'(length) - 32'd1) / BUS;
    reuses = IS_LOAD && !now.is_in_piece && now.has_held && now.held == first_word;
    word = now.is_in_piece ? now.word : first_word + 32'(reuses);
    has_word = !now.transfer.is_fill && word <= last_word;
    is_piece_last = now.transfer.is_fill || word >= last_word;
  end

  // Pages: one is open; `waited` counts the cycles of a miss.
  localparam int WAIT_BITS = $clog2(machine_pkg::PAGE_MISS + 2);
  logic has_page;
  logic [31:0] open_page, page;
  logic [WAIT_BITS-1:0] waited;

  assign page = word / (machine_pkg::PAGE / BUS);
  assign is_miss = (start || is_busy) && has_word && !(has_page && page == open_page)
      && waited != WAIT_BITS'(machine_pkg::PAGE_MISS);
  assign has_beat = (start || is_busy) && !is_miss;

  always_comb begin
    beat.has_word = has_word;
    beat.uses_held = reuses;
    beat.is_words = now.transfer.is_words;
    beat.row = now.row;
    beat.word = word;
    beat.lane = 13'(word * BUS - now.address);
    beat.length = now.transfer.is_fill ? '0 : 12'(length);
    beat.is_piece_last = is_piece_last;
    beat.is_last = is_piece_last && is_last_block && now.rows_left == 16'd1 && now.planes_left == 16'd1;
  end

  always_comb begin
    following = now;
    if (has_beat) begin
      if (has_word) begin
        following.has_held = 1'b1;
        following.held = word;
      end
      following.is_in_piece = !is_piece_last;
      following.word = word + 32'd1;
      if (is_piece_last) begin
        if (!is_last_block) begin
          following.bytes_left = now.bytes_left - width;
          following.address = now.address + 32'(width);
          following.row = now.row + now.transfer.block_step;
        end else begin
          following.bytes_left = now.transfer.bytes;
          if (now.rows_left != 16'd1) begin
            following.rows_left = now.rows_left - 16'd1;
            following.row_address = now.row_address + now.transfer.stride;
            following.row_row = now.row_row + now.transfer.step;
          end else begin
            following.rows_left = now.transfer.rows;
            following.planes_left = now.planes_left - 16'd1;
            following.plane_address = now.plane_address + now.transfer.plane_stride;
            following.plane_row = now.plane_row + now.transfer.plane_step;
            following.row_address = following.plane_address;
            following.row_row = following.plane_row;
          end
          following.address = following.row_address;
          following.row = following.row_row;
        end
      end
    end
  end

  always_ff @(posedge clk) begin
    if (start || is_busy) state <= following;
    if (has_beat && has_word) open_page <= page;
    if (rst) begin
      is_busy  <= 1'b0;
      has_page <= 1'b0;
      waited   <= '0;
    end else begin
      if (start || is_busy) is_busy <= !(has_beat && beat.is_last);
      if (has_beat && has_word) has_page <= 1'b1;
      waited <= is_miss ? waited + 1'b1 : '0;
    end
  end
endmodule
