// Store DMA: a beat reads the on-chip row; in the next cycle its bytes that lie in the beat's bus word go to DRAM. The store
// completes WRITE_LATENCY cycles after its last beat.
module store_unit (
    input  logic                                 clk,
    input  logic                                 rst,
    // queue and tokens
    input  logic                                 is_present,
    input  types_pkg::command_t                  command,
    output logic                                 issues,
    input  logic [isa_pkg::WAIT_BITS-1:0]        tokens,
    output logic                                 completes,
    output logic [isa_pkg::POST_BITS-1:0]        posts,
    output types_pkg::banks_t                    holds,
    output logic                                 is_idle,       // nothing that issued is incomplete
    // observation
    output logic                                 is_last_beat,
    output logic [3:0]                           cycle_class,
    // on-chip read ports, data one cycle later
    output logic                                 sp_r_en,
    output logic [machine_pkg::SP_ROW_BITS-1:0]  sp_r_row,
    input  logic [8*machine_pkg::LANES-1:0]      sp_r_data,
    output logic                                 acc_r_en,
    output logic [machine_pkg::ACC_ROW_BITS-1:0] acc_r_row,
    input  logic [32*machine_pkg::COLUMNS-1:0]   acc_r_data,
    // DRAM write channel
    output logic [machine_pkg::BUS-1:0]          dram_w_strobe,
    output logic [31:0]                          dram_w_word,
    output logic [8*machine_pkg::BUS-1:0]        dram_w_data
);
  localparam int BUS = machine_pkg::BUS;
  localparam int WIDTH = 4 * machine_pkg::COLUMNS;  // bytes of the wider on-chip row
  localparam int COUNT_BITS = $clog2(machine_pkg::OUTSTANDING + 1);

  // ---- issue
  logic is_sync, walk_busy, is_miss, has_beat;
  logic [COUNT_BITS-1:0] in_flight;
  assign is_sync = command.opcode == isa_pkg::OP_SYNC_STORE;
  assign is_idle = in_flight == '0;

  issue #(
      .UNIT(isa_pkg::UNIT_STORE)
  ) issue (
      .is_present,
      .is_port_free(!walk_busy),
      .is_drained(!is_sync || is_idle),
      .has_room(in_flight != COUNT_BITS'(machine_pkg::OUTSTANDING)),
      .waits(command.waits),
      .tokens,
      .issues,
      .has_beat(has_beat || is_miss),
      .beat_class(is_miss ? isa_pkg::CLASS_PAGE_MISS : isa_pkg::CLASS_BUSY),
      .cycle_class
  );

  // ---- the transfer's beats
  types_pkg::transfer_t transfer;
  types_pkg::beat_t beat;
  logic transfer_beat;

  always_comb begin
    transfer.is_words = command.opcode == isa_pkg::OP_STORE_W;
    transfer.is_fill = 1'b0;
    transfer.dram = command.operand[isa_pkg::SLOT_STORE_B_DRAM];
    transfer.row = machine_pkg::ROW_BITS'(command.operand[isa_pkg::SLOT_STORE_B_SP]);
    transfer.bytes = 16'(command.operand[isa_pkg::SLOT_STORE_B_BYTES]);
    transfer.rows = 16'(command.operand[isa_pkg::SLOT_STORE_B_ROWS]);
    transfer.planes = 16'(command.operand[isa_pkg::SLOT_STORE_B_PLANES]);
    transfer.stride = command.operand[isa_pkg::SLOT_STORE_B_STRIDE];
    transfer.plane_stride = command.operand[isa_pkg::SLOT_STORE_B_PLANE_STRIDE];
    transfer.step = machine_pkg::ROW_BITS'(command.operand[isa_pkg::SLOT_STORE_B_STEP]);
    transfer.plane_step = machine_pkg::ROW_BITS'(command.operand[isa_pkg::SLOT_STORE_B_PLANE_STEP]);
    transfer.block_step = machine_pkg::ROW_BITS'(command.operand[isa_pkg::SLOT_STORE_B_BLOCK_STEP]);
  end

  dma_walk #(
      .IS_LOAD(1'b0)
  ) walk (
      .clk,
      .rst,
      .start(issues && !is_sync),
      .transfer,
      .is_busy(walk_busy),
      .is_miss,
      .has_beat(transfer_beat),
      .beat
  );
  assign has_beat = transfer_beat || issues && is_sync;
  assign is_last_beat = transfer_beat && beat.is_last || issues && is_sync;
  assign sp_r_en = transfer_beat && !beat.is_words;
  assign sp_r_row = machine_pkg::SP_ROW_BITS'(beat.row);
  assign acc_r_en = transfer_beat && beat.is_words;
  assign acc_r_row = machine_pkg::ACC_ROW_BITS'(beat.row);

  // ---- the cycle after the beat: the row's bytes, moved to their place in the bus word
  types_pkg::beat_t read;
  logic has_read;
  logic [12:0] distance;
  logic [8*(WIDTH+BUS)-1:0] bytes;
  logic [WIDTH+BUS-1:0] valid;

  always_comb begin
    bytes = read.is_words ? (8 * (WIDTH + BUS))'(acc_r_data) : (8 * (WIDTH + BUS))'(sp_r_data);
    for (int lane = 0; lane < WIDTH + BUS; lane++) valid[lane] = 12'(lane) < read.length;
    distance = read.lane < 0 ? -read.lane : read.lane;
    if (read.lane < 0) begin
      bytes = bytes << {distance, 3'd0};
      valid = valid << distance;
    end else begin
      bytes = bytes >> {distance, 3'd0};
      valid = valid >> distance;
    end
    dram_w_strobe = has_read ? valid[BUS-1:0] : '0;
  end
  assign dram_w_word = read.word;
  assign dram_w_data = bytes[8*BUS-1:0];

  // ---- completion
  logic [isa_pkg::POST_BITS-1:0] latest_posts, beat_posts, transfer_posts;
  logic transfer_completes;
  assign beat_posts = issues ? command.posts : latest_posts;

  delay #(
      .WIDTH (isa_pkg::POST_BITS),
      .CYCLES(machine_pkg::WRITE_LATENCY)
  ) in_dram (
      .clk,
      .rst,
      .valid_in(transfer_beat && beat.is_last),
      .data_in(beat_posts),
      .valid_out(transfer_completes),
      .data_out(transfer_posts)
  );
  assign completes = transfer_completes || issues && is_sync;
  assign posts = transfer_completes ? transfer_posts : command.posts;

  // ---- read ports of the banks, held from issue to the last beat
  types_pkg::banks_t latest_banks;
  assign holds = walk_busy ? latest_banks : '0;

  always_ff @(posedge clk) begin
    read <= beat;
    has_read <= !rst && transfer_beat;
    latest_posts <= beat_posts;
    if (issues) latest_banks <= command.banks;
    in_flight <= rst ? '0 : in_flight + COUNT_BITS'(issues) - COUNT_BITS'(completes);
  end
endmodule
