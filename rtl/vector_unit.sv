// Vector unit: `requantise` reads a parameter block (a bias and a binary32 scale per lane) from the scratchpad, then turns
// accumulator rows into scratchpad rows, one a cycle. Instructions do not overlap, so parameters need no second set.
module vector_unit (
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
    // read ports, data one cycle later
    output logic                                 sp_r_en,
    output logic [machine_pkg::SP_ROW_BITS-1:0]  sp_r_row,
    input  logic [8*machine_pkg::LANES-1:0]      sp_r_data,
    output logic                                 acc_r_en,
    output logic [machine_pkg::ACC_ROW_BITS-1:0] acc_r_row,
    input  logic [32*machine_pkg::COLUMNS-1:0]   acc_r_data,
    // write port
    output logic                                 sp_w_en,
    output logic [machine_pkg::SP_ROW_BITS-1:0]  sp_w_row,
    output logic [8*machine_pkg::LANES-1:0]      sp_w_data
);
  localparam int SP_ROW_BITS = machine_pkg::SP_ROW_BITS;
  localparam int ACC_ROW_BITS = machine_pkg::ACC_ROW_BITS;
  localparam int STAGES = 6;  // read of the accumulator to write of the scratchpad
  localparam int PARAMETER_BITS = $clog2(machine_pkg::PARAMETER_ROWS + 1);

  // ---- issue
  logic is_sync, start, is_busy, has_beat;
  assign is_sync = command.opcode == isa_pkg::OP_SYNC_VECTOR;
  assign is_idle = !is_busy;
  assign start = issues && !is_sync;

  issue #(
      .UNIT(isa_pkg::UNIT_VECTOR)
  ) issue (
      .is_present,
      .is_port_free(1'b1),
      .is_drained(!is_busy),
      .has_room(1'b1),
      .waits(command.waits),
      .tokens,
      .issues,
      .has_beat(has_beat || issues && is_sync),
      .beat_class(isa_pkg::CLASS_BUSY),
      .cycle_class
  );

  // ---- beats: parameter rows, then rows
  logic [PARAMETER_BITS-1:0] parameters_left, parameters_left_q;
  logic [SP_ROW_BITS-1:0] parameter_row, parameter_row_q;
  logic walk_busy, row_beat, row_is_last;
  logic [SP_ROW_BITS-1:0] target_row;

  assign parameters_left = start ? PARAMETER_BITS'(machine_pkg::PARAMETER_ROWS) : parameters_left_q;
  assign parameter_row = start ? SP_ROW_BITS'(command.operand[isa_pkg::SLOT_REQUANTISE_PARAMS]) : parameter_row_q;
  assign sp_r_en = parameters_left != '0;
  assign sp_r_row = parameter_row;
  assign row_beat = walk_busy && parameters_left == '0;
  assign has_beat = sp_r_en || row_beat;
  assign is_last_beat = row_beat && row_is_last || issues && is_sync;
  assign acc_r_en = row_beat;

  row_walk #(
      .A_BITS(ACC_ROW_BITS),
      .B_BITS(SP_ROW_BITS)
  ) walk (
      .clk,
      .rst,
      .start,
      .step(row_beat),
      .rows(16'(command.operand[isa_pkg::SLOT_REQUANTISE_ROWS])),
      .planes(16'(command.operand[isa_pkg::SLOT_REQUANTISE_PLANES])),
      .a_first(ACC_ROW_BITS'(command.operand[isa_pkg::SLOT_REQUANTISE_ACC])),
      .a_step(ACC_ROW_BITS'(command.operand[isa_pkg::SLOT_REQUANTISE_ACC_STEP])),
      .a_plane_step(ACC_ROW_BITS'(command.operand[isa_pkg::SLOT_REQUANTISE_ACC_PLANE_STEP])),
      .b_first(SP_ROW_BITS'(command.operand[isa_pkg::SLOT_REQUANTISE_SP])),
      .b_step(SP_ROW_BITS'(command.operand[isa_pkg::SLOT_REQUANTISE_STEP])),
      .b_plane_step(SP_ROW_BITS'(command.operand[isa_pkg::SLOT_REQUANTISE_PLANE_STEP])),
      .is_busy(walk_busy),
      .is_last(row_is_last),
      .a(acc_r_row),
      .b(target_row)
  );

  // ---- parameter block: biases, then scales, as they stand in the scratchpad
  logic [machine_pkg::PARAMETER_ROWS-1:0][8*machine_pkg::LANES-1:0] parameters;
  logic [2*machine_pkg::COLUMNS-1:0][31:0] words;
  logic has_parameters;
  logic [PARAMETER_BITS-1:0] place;
  assign words = parameters;

  always_ff @(posedge clk) begin
    has_parameters <= sp_r_en;
    place <= PARAMETER_BITS'(machine_pkg::PARAMETER_ROWS) - parameters_left;
    if (has_parameters) parameters[place] <= sp_r_data;
    parameter_row_q <= parameter_row + 1'b1;
    parameters_left_q <= rst || !sp_r_en ? '0 : parameters_left - 1'b1;
  end

  // ---- lanes
  logic signed [9:0] zero_point, low, high;
  types_pkg::banks_t banks;
  logic [isa_pkg::POST_BITS-1:0] latest_posts;
  always_ff @(posedge clk)
    if (start) begin
      zero_point <= 10'(command.operand[isa_pkg::SLOT_REQUANTISE_ZP]);
      low <= 10'(command.operand[isa_pkg::SLOT_REQUANTISE_MIN]);
      high <= 10'(command.operand[isa_pkg::SLOT_REQUANTISE_MAX]);
      banks <= command.banks;
      latest_posts <= command.posts;
    end

  for (genvar i = 0; i < machine_pkg::COLUMNS; i++) begin : g_lane
    requantise_lane lane (
        .clk,
        .acc(acc_r_data[32*i+:32]),
        .bias(words[i]),
        .scale(words[machine_pkg::COLUMNS+i]),
        .zero_point,
        .low,
        .high,
        .result(sp_w_data[8*i+:8])
    );
  end
  for (genvar i = machine_pkg::COLUMNS; i < machine_pkg::LANES; i++) begin : g_no_lane
    assign sp_w_data[8*i+:8] = '0;
  end

  // ---- result and completion
  logic result_is_last;
  delay #(
      .WIDTH (SP_ROW_BITS + 1),
      .CYCLES(STAGES)
  ) pipeline (
      .clk,
      .rst,
      .valid_in(row_beat),
      .data_in({target_row, row_is_last}),
      .valid_out(sp_w_en),
      .data_out({sp_w_row, result_is_last})
  );
  logic requantise_completes;
  assign requantise_completes = sp_w_en && result_is_last;
  assign completes = requantise_completes || issues && is_sync;
  assign posts = requantise_completes ? latest_posts : command.posts;

  always_ff @(posedge clk) is_busy <= !rst && (is_busy || start) && !requantise_completes;

  // ---- ports of the banks: parameters to their last row, accumulator to the last beat, writes to completion
  assign holds.sp_read = is_busy && sp_r_en ? banks.sp_read : '0;
  assign holds.sp_write = is_busy ? banks.sp_write : '0;
  assign holds.acc_read = walk_busy ? banks.acc_read : '0;
  assign holds.acc_write = '0;
endmodule
