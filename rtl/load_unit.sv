// Load DMA: loads from DRAM and fills. A beat's word arrives READ_LATENCY cycles later and is written at once; what is to be
// done with it travels beside it in a delay line, fills too, so that completions stay in order.
module load_unit (
    input  logic                                clk,
    input  logic                                rst,
    // queue and tokens
    input  logic                                is_present,
    input  types_pkg::command_t                 command,
    output logic                                issues,
    input  logic [isa_pkg::WAIT_BITS-1:0]       tokens,
    output logic                                completes,
    output logic [isa_pkg::POST_BITS-1:0]       posts,
    output types_pkg::banks_t                   holds,
    output logic                                is_idle,      // nothing that issued is incomplete
    // observation
    output logic                                is_last_beat,
    output logic [3:0]                          cycle_class,
    // DRAM read channel: r_data belongs to the request of READ_LATENCY cycles before
    output logic                                dram_r_en,
    output logic [31:0]                         dram_r_word,
    input  logic [8*machine_pkg::BUS-1:0]       dram_r_data,
    // on-chip write ports
    output logic [machine_pkg::LANES-1:0]       sp_w_strobe,
    output logic [machine_pkg::SP_ROW_BITS-1:0] sp_w_row,
    output logic [8*machine_pkg::LANES-1:0]     sp_w_data,
    output logic [machine_pkg::COLUMNS-1:0]     acc_w_strobe,
    output logic [machine_pkg::ACC_ROW_BITS-1:0] acc_w_row,
    output logic [32*machine_pkg::COLUMNS-1:0]  acc_w_data
);
  localparam int BUS = machine_pkg::BUS;
  localparam int WIDTH = 4 * machine_pkg::COLUMNS;  // bytes of the wider on-chip row
  localparam int COUNT_BITS = $clog2(machine_pkg::OUTSTANDING + 1);

  // ---- issue
  logic is_sync, walk_busy, is_miss, has_beat;
  logic [COUNT_BITS-1:0] in_flight;
  assign is_sync = command.opcode == isa_pkg::OP_SYNC_LOAD;
  assign is_idle = in_flight == '0;

  issue #(
      .UNIT(isa_pkg::UNIT_LOAD)
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
  logic [31:0] fill;

  always_comb begin
    transfer.is_words = command.opcode == isa_pkg::OP_LOAD_W || command.opcode == isa_pkg::OP_FILL_W;
    transfer.is_fill = command.opcode == isa_pkg::OP_FILL_B || command.opcode == isa_pkg::OP_FILL_W;
    transfer.dram = command.operand[isa_pkg::SLOT_LOAD_B_DRAM];
    transfer.row = machine_pkg::ROW_BITS'(command.operand[isa_pkg::SLOT_LOAD_B_SP]);
    transfer.stride = command.operand[isa_pkg::SLOT_LOAD_B_STRIDE];
    transfer.plane_stride = command.operand[isa_pkg::SLOT_LOAD_B_PLANE_STRIDE];
    transfer.block_step = machine_pkg::ROW_BITS'(command.operand[isa_pkg::SLOT_LOAD_B_BLOCK_STEP]);
    if (transfer.is_fill) begin
      transfer.bytes = 16'd1;  // one piece a row
      transfer.rows = 16'(command.operand[isa_pkg::SLOT_FILL_B_ROWS]);
      transfer.planes = 16'(command.operand[isa_pkg::SLOT_FILL_B_PLANES]);
      transfer.step = machine_pkg::ROW_BITS'(command.operand[isa_pkg::SLOT_FILL_B_STEP]);
      transfer.plane_step = machine_pkg::ROW_BITS'(command.operand[isa_pkg::SLOT_FILL_B_PLANE_STEP]);
      fill = command.operand[isa_pkg::SLOT_FILL_B_FILL];
    end else begin
      transfer.bytes = 16'(command.operand[isa_pkg::SLOT_LOAD_B_BYTES]);
      transfer.rows = 16'(command.operand[isa_pkg::SLOT_LOAD_B_ROWS]);
      transfer.planes = 16'(command.operand[isa_pkg::SLOT_LOAD_B_PLANES]);
      transfer.step = machine_pkg::ROW_BITS'(command.operand[isa_pkg::SLOT_LOAD_B_STEP]);
      transfer.plane_step = machine_pkg::ROW_BITS'(command.operand[isa_pkg::SLOT_LOAD_B_PLANE_STEP]);
      fill = command.operand[isa_pkg::SLOT_LOAD_B_FILL];
    end
    if (!transfer.is_words) fill = {4{fill[7:0]}};
  end

  logic transfer_beat;
  dma_walk #(
      .IS_LOAD(1'b1)
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
  assign dram_r_en = transfer_beat && beat.has_word;
  assign dram_r_word = beat.word;

  // What the instruction that has the beats posts and releases when it completes.
  typedef struct packed {
    logic [isa_pkg::POST_BITS-1:0]     posts;
    logic [machine_pkg::SP_BANKS-1:0]  sp_banks;
    logic [machine_pkg::ACC_BANKS-1:0] acc_banks;
    logic [31:0]                       fill;
  } ending_t;
  ending_t latest, ending;
  assign ending = issues ? {command.posts, command.banks.sp_write, command.banks.acc_write, fill} : latest;
  always_ff @(posedge clk) latest <= ending;

  // ---- arrival, READ_LATENCY cycles after the beat
  types_pkg::beat_t arrival;
  ending_t arrived;
  logic has_arrival, transfer_completes;

  delay #(
      .WIDTH ($bits(types_pkg::beat_t) + $bits(ending_t)),
      .CYCLES(machine_pkg::READ_LATENCY)
  ) in_dram (
      .clk,
      .rst,
      .valid_in(transfer_beat),
      .data_in({beat, ending}),
      .valid_out(has_arrival),
      .data_out({arrival, arrived})
  );
  assign transfer_completes = has_arrival && arrival.is_last;
  assign completes = transfer_completes || issues && is_sync;
  assign posts = transfer_completes ? arrived.posts : command.posts;

  // Align {word, held word} to the row's lanes: the held word ends where this one begins.
  logic [8*BUS-1:0] held;
  logic signed [12:0] position;  // lane of the held word's first byte
  logic [12:0] distance;
  logic [8*(2*BUS+WIDTH)-1:0] bytes;
  logic [2*BUS+WIDTH-1:0] valid;
  logic [8*WIDTH-1:0] row;
  logic [WIDTH-1:0] strobe;

  always_comb begin
    position = arrival.lane - 13'(BUS);
    bytes = (8 * (2 * BUS + WIDTH))'({dram_r_data, held});
    valid = (2 * BUS + WIDTH)'({{BUS{arrival.has_word}}, {BUS{arrival.uses_held}}});
    distance = position < 0 ? -position : position;
    if (position < 0) begin
      bytes = bytes >> {distance, 3'd0};
      valid = valid >> distance;
    end else begin
      bytes = bytes << {distance, 3'd0};
      valid = valid << distance;
    end
    row = bytes[8*WIDTH-1:0];
    strobe = valid[WIDTH-1:0];
    for (int lane = 0; lane < WIDTH; lane++)
      if (12'(lane) >= arrival.length) begin
        row[8*lane+:8] = arrived.fill[8*(lane%4)+:8];
        strobe[lane] = arrival.is_piece_last;
      end
    if (!has_arrival) strobe = '0;
    sp_w_strobe = arrival.is_words ? '0 : strobe[machine_pkg::LANES-1:0];
    for (int i = 0; i < machine_pkg::COLUMNS; i++) acc_w_strobe[i] = arrival.is_words && strobe[4*i];
  end
  assign sp_w_row = machine_pkg::SP_ROW_BITS'(arrival.row);
  assign acc_w_row = machine_pkg::ACC_ROW_BITS'(arrival.row);
  assign sp_w_data = row[8*machine_pkg::LANES-1:0];
  assign acc_w_data = row;

  always_ff @(posedge clk) begin
    if (has_arrival && arrival.has_word) held <= dram_r_data;
    in_flight <= rst ? '0 : in_flight + COUNT_BITS'(issues) - COUNT_BITS'(completes);
  end

  // ---- write ports of the banks, held from issue to completion
  holds #(
      .BANKS(machine_pkg::SP_BANKS),
      .COUNT_BITS(COUNT_BITS)
  ) sp_holds (
      .clk,
      .rst,
      .take(issues),
      .taken(command.banks.sp_write),
      .release_(transfer_completes),
      .released(arrived.sp_banks),
      .is_held(holds.sp_write)
  );
  holds #(
      .BANKS(machine_pkg::ACC_BANKS),
      .COUNT_BITS(COUNT_BITS)
  ) acc_holds (
      .clk,
      .rst,
      .take(issues),
      .taken(command.banks.acc_write),
      .release_(transfer_completes),
      .released(arrived.acc_banks),
      .is_held(holds.acc_write)
  );
  assign holds.sp_read = '0;
  assign holds.acc_read = '0;
endmodule
