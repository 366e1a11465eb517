// Vector unit. An instruction first reads the rows of its preface (parameters, weights or a table) from the scratchpad into
// registers, then source rows, one a cycle; a result leaves its pipeline so many stages after the last source row that it needs.
// Instructions do not overlap, so the registers need no second set.
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
    // write ports
    output logic                                 sp_w_en,
    output logic [machine_pkg::SP_ROW_BITS-1:0]  sp_w_row,
    output logic [8*machine_pkg::LANES-1:0]      sp_w_data,
    output logic                                 acc_w_en,
    output logic [machine_pkg::ACC_ROW_BITS-1:0] acc_w_row,
    output logic [32*machine_pkg::COLUMNS-1:0]   acc_w_data
);
  localparam int SP_ROW_BITS = machine_pkg::SP_ROW_BITS;
  localparam int ACC_ROW_BITS = machine_pkg::ACC_ROW_BITS;
  localparam int LANES = machine_pkg::LANES;
  localparam int PARAMETER_ROWS = machine_pkg::PARAMETER_ROWS;
  localparam int TABLE_ROWS = machine_pkg::TABLE_ROWS;
  localparam int BLOCK_ROWS = PARAMETER_ROWS + isa_pkg::MAX_TAPS;
  localparam int KEPT_ROWS = TABLE_ROWS > BLOCK_ROWS ? TABLE_ROWS : BLOCK_ROWS;
  localparam int KEPT_BITS = $clog2(KEPT_ROWS);

  // Stages of the pipelines, from the last read for a result to its write.
  localparam int REQUANTISE_STAGES = 6;
  localparam int WINDOW_STAGES = 7;
  localparam int SELECT_STAGES = 2;
  localparam int PAIR_STAGES = 8;
  localparam int QUANTISE_STAGES = 30;
  localparam int DEQUANTISE_STAGES = 4;
  localparam int MOST_STAGES = 30;
  localparam int STAGE_BITS = $clog2(MOST_STAGES + 1);

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

  // ---- the instruction: its lanes' settings are captured at issue; the walk sees the command itself in that cycle
  logic [7:0] opcode, opcode_q;
  logic is_unsigned, is_weight_unsigned;
  logic signed [8:0] source_zero_point, weight_zero_point;  // or of the left and of the right operand
  logic [31:0] scale, right_scale, offset;
  logic signed [9:0] zero_point, low, high;
  logic [STAGE_BITS-1:0] stages;
  types_pkg::banks_t banks;
  logic [machine_pkg::SP_BANKS-1:0] sp_streamed;
  logic [isa_pkg::POST_BITS-1:0] latest_posts;
  assign opcode = start ? command.opcode : opcode_q;
  always_comb
    case (opcode)
      isa_pkg::OP_REQUANTISE: stages = STAGE_BITS'(REQUANTISE_STAGES);
      isa_pkg::OP_DEPTHWISE, isa_pkg::OP_AVERAGE: stages = STAGE_BITS'(WINDOW_STAGES);
      isa_pkg::OP_ADD_B, isa_pkg::OP_MULTIPLY_B: stages = STAGE_BITS'(PAIR_STAGES);
      isa_pkg::OP_QUANTISE: stages = STAGE_BITS'(QUANTISE_STAGES);
      isa_pkg::OP_DEQUANTISE: stages = STAGE_BITS'(DEQUANTISE_STAGES);
      default: stages = STAGE_BITS'(SELECT_STAGES);
    endcase

  always_ff @(posedge clk)
    if (start) begin
      opcode_q <= command.opcode;
      is_unsigned <= command.flags[isa_pkg::FLAG_DEPTHWISE_U8];
      is_weight_unsigned <= command.flags[isa_pkg::FLAG_DEPTHWISE_WEIGHTS_U8];
      source_zero_point <= '0;
      weight_zero_point <= 9'(command.operand[isa_pkg::SLOT_DEPTHWISE_WEIGHTS_ZP]);
      zero_point <= '0;
      scale <= '0;
      right_scale <= command.operand[isa_pkg::SLOT_ADD_B_RIGHT_SCALE];
      offset <= command.operand[isa_pkg::SLOT_ADD_B_OFFSET];
      low <= '0;
      high <= 10'sd255;
      case (command.opcode)
        isa_pkg::OP_REQUANTISE: begin
          zero_point <= 10'(command.operand[isa_pkg::SLOT_REQUANTISE_ZP]);
          low <= 10'(command.operand[isa_pkg::SLOT_REQUANTISE_MIN]);
          high <= 10'(command.operand[isa_pkg::SLOT_REQUANTISE_MAX]);
        end
        isa_pkg::OP_DEPTHWISE: begin
          source_zero_point <= 9'(command.operand[isa_pkg::SLOT_DEPTHWISE_SRC_ZP]);
          zero_point <= 10'(command.operand[isa_pkg::SLOT_DEPTHWISE_ZP]);
          low <= 10'(command.operand[isa_pkg::SLOT_DEPTHWISE_MIN]);
          high <= 10'(command.operand[isa_pkg::SLOT_DEPTHWISE_MAX]);
        end
        isa_pkg::OP_AVERAGE: begin
          zero_point <= 10'(command.operand[isa_pkg::SLOT_AVERAGE_ZP]);
          low <= 10'(command.operand[isa_pkg::SLOT_AVERAGE_MIN]);
          high <= 10'(command.operand[isa_pkg::SLOT_AVERAGE_MAX]);
        end
        isa_pkg::OP_MAXIMUM: begin
          low <= 10'(command.operand[isa_pkg::SLOT_MAXIMUM_MIN]);
          high <= 10'(command.operand[isa_pkg::SLOT_MAXIMUM_MAX]);
        end
        isa_pkg::OP_ADD_B: begin
          scale <= command.operand[isa_pkg::SLOT_ADD_B_LEFT_SCALE];
          low <= 10'(command.operand[isa_pkg::SLOT_ADD_B_MIN]);
          high <= 10'(command.operand[isa_pkg::SLOT_ADD_B_MAX]);
        end
        isa_pkg::OP_MULTIPLY_B: begin
          source_zero_point <= 9'(command.operand[isa_pkg::SLOT_MULTIPLY_B_LEFT_ZP]);
          weight_zero_point <= 9'(command.operand[isa_pkg::SLOT_MULTIPLY_B_RIGHT_ZP]);
          scale <= command.operand[isa_pkg::SLOT_MULTIPLY_B_SCALE];
          zero_point <= 10'(command.operand[isa_pkg::SLOT_MULTIPLY_B_ZP]);
          low <= 10'(command.operand[isa_pkg::SLOT_MULTIPLY_B_MIN]);
          high <= 10'(command.operand[isa_pkg::SLOT_MULTIPLY_B_MAX]);
        end
        isa_pkg::OP_QUANTISE: begin
          scale <= command.operand[isa_pkg::SLOT_QUANTISE_SCALE];
          zero_point <= 10'(command.operand[isa_pkg::SLOT_QUANTISE_ZP]);
          low <= 10'(command.operand[isa_pkg::SLOT_QUANTISE_MIN]);
          high <= 10'(command.operand[isa_pkg::SLOT_QUANTISE_MAX]);
        end
        isa_pkg::OP_DEQUANTISE: begin
          source_zero_point <= 9'(command.operand[isa_pkg::SLOT_DEQUANTISE_ZP]);
          scale <= command.operand[isa_pkg::SLOT_DEQUANTISE_SCALE];
        end
        default: ;
      endcase
      banks <= command.banks;
      sp_streamed <= command.sp_streamed;
      latest_posts <= command.posts;
    end

  // ---- walk
  types_pkg::vector_plan_t plan;
  logic [7:0][31:0] common;  // operands that all instructions have, in the slots of all but requantise
  assign common = command.opcode == isa_pkg::OP_REQUANTISE
      ? {command.operand[isa_pkg::SLOT_REQUANTISE_ROWS+:6], command.operand[1:0]} : command.operand[7:0];

  always_comb begin
    plan.rows = 16'(common[isa_pkg::SLOT_DEPTHWISE_ROWS]);
    plan.planes = 16'(common[isa_pkg::SLOT_DEPTHWISE_PLANES]);
    plan.source = machine_pkg::ROW_BITS'(common[isa_pkg::SLOT_DEPTHWISE_SRC]);
    plan.source_step = machine_pkg::ROW_BITS'(common[isa_pkg::SLOT_DEPTHWISE_SRC_STEP]);
    plan.source_plane_step = machine_pkg::ROW_BITS'(common[isa_pkg::SLOT_DEPTHWISE_SRC_PLANE_STEP]);
    plan.target = machine_pkg::ROW_BITS'(common[isa_pkg::SLOT_DEPTHWISE_SP]);
    plan.target_step = machine_pkg::ROW_BITS'(common[isa_pkg::SLOT_DEPTHWISE_STEP]);
    plan.target_plane_step = machine_pkg::ROW_BITS'(common[isa_pkg::SLOT_DEPTHWISE_PLANE_STEP]);
    plan.has_right = command.opcode == isa_pkg::OP_ADD_B || command.opcode == isa_pkg::OP_MULTIPLY_B;
    plan.right = machine_pkg::ROW_BITS'(command.operand[isa_pkg::SLOT_ADD_B_RIGHT]);
    plan.right_step = machine_pkg::ROW_BITS'(command.operand[isa_pkg::SLOT_ADD_B_RIGHT_STEP]);
    plan.right_plane_step = machine_pkg::ROW_BITS'(command.operand[isa_pkg::SLOT_ADD_B_RIGHT_PLANE_STEP]);
    plan.lines = 16'd1;
    plan.columns = 16'd1;
    plan.line_step = machine_pkg::ROW_BITS'(command.operand[isa_pkg::SLOT_DEPTHWISE_LINE_STEP]);
    plan.column_step = machine_pkg::ROW_BITS'(command.operand[isa_pkg::SLOT_DEPTHWISE_COLUMN_STEP]);
    case (command.opcode)
      isa_pkg::OP_DEPTHWISE, isa_pkg::OP_AVERAGE, isa_pkg::OP_MAXIMUM: begin
        plan.lines = 16'(command.operand[isa_pkg::SLOT_DEPTHWISE_LINES]);
        plan.columns = 16'(command.operand[isa_pkg::SLOT_DEPTHWISE_COLUMNS]);
      end
      isa_pkg::OP_ADD_B, isa_pkg::OP_MULTIPLY_B: plan.columns = 16'd2;
      default: ;
    endcase
    case (command.opcode)
      isa_pkg::OP_REQUANTISE: plan.first = machine_pkg::ROW_BITS'(command.operand[isa_pkg::SLOT_REQUANTISE_PARAMS]);
      isa_pkg::OP_LOOKUP: plan.first = machine_pkg::ROW_BITS'(command.operand[isa_pkg::SLOT_LOOKUP_TABLE]);
      default: plan.first = machine_pkg::ROW_BITS'(command.operand[isa_pkg::SLOT_DEPTHWISE_PARAMS]);
    endcase
    plan.second = machine_pkg::ROW_BITS'(command.operand[isa_pkg::SLOT_DEPTHWISE_WEIGHTS]);
    plan.second_count = '0;
    case (command.opcode)
      isa_pkg::OP_REQUANTISE, isa_pkg::OP_AVERAGE: plan.first_count = 8'(PARAMETER_ROWS);
      isa_pkg::OP_DEPTHWISE: begin
        plan.first_count = 8'(PARAMETER_ROWS);
        plan.second_count = 8'(plan.lines) * 8'(plan.columns);  // at most MAX_TAPS
      end
      isa_pkg::OP_LOOKUP: plan.first_count = 8'(TABLE_ROWS);
      default: plan.first_count = '0;
    endcase
  end

  logic walk_busy, is_preface, is_first_tap, is_last_tap, is_last;
  logic [7:0] place;
  logic [5:0] tap;
  logic [machine_pkg::ROW_BITS-1:0] row, target;
  vector_walk walk (
      .clk,
      .rst,
      .start,
      .plan,
      .has_beat,
      .is_busy(walk_busy),
      .is_preface,
      .place,
      .is_first_tap,
      .is_last_tap,
      .is_last,
      .tap,
      .row,
      .target
  );

  logic reads_scratchpad;
  assign reads_scratchpad = is_preface || opcode != isa_pkg::OP_REQUANTISE && opcode != isa_pkg::OP_QUANTISE;
  assign sp_r_en = has_beat && reads_scratchpad;
  assign sp_r_row = SP_ROW_BITS'(row);
  assign acc_r_en = has_beat && !reads_scratchpad;
  assign acc_r_row = ACC_ROW_BITS'(row);
  assign is_last_beat = has_beat && is_last || issues && is_sync;

  // ---- one cycle later: rows of the preface are kept, source rows go to the lanes
  logic [KEPT_ROWS-1:0][8*LANES-1:0] kept;
  logic [2*machine_pkg::COLUMNS-1:0][31:0] words;  // biases, then scales, as they stand in the scratchpad
  logic [255:0][7:0] entries;  // of the table
  logic [8*LANES-1:0] weights;
  logic is_kept, is_taken, is_first_taken;
  logic [KEPT_BITS-1:0] place_q, weight_place;
  assign words = kept[PARAMETER_ROWS-1:0];
  assign entries = 2048'(kept[TABLE_ROWS-1:0]);
  assign weights = kept[weight_place];

  always_ff @(posedge clk) begin
    is_kept <= has_beat && is_preface;
    is_taken <= has_beat && !is_preface;
    is_first_taken <= is_first_tap;
    place_q <= KEPT_BITS'(place);
    weight_place <= KEPT_BITS'(PARAMETER_ROWS) + KEPT_BITS'(tap);
    if (is_kept) kept[place_q] <= sp_r_data;
  end

  // ---- lanes
  logic is_add, is_multiply, is_quantise, is_dequantise;
  logic [23:0] scale_significand;
  logic signed [9:0] scale_exponent;
  logic is_scale_zero, is_scale_infinite, is_scale_nan;
  assign is_add = opcode_q == isa_pkg::OP_ADD_B;
  assign is_multiply = opcode_q == isa_pkg::OP_MULTIPLY_B;
  assign is_quantise = opcode_q == isa_pkg::OP_QUANTISE;
  assign is_dequantise = opcode_q == isa_pkg::OP_DEQUANTISE;
  normal_f32 divisor (
      .value(scale),
      .significand(scale_significand),
      .exponent(scale_exponent),
      .is_zero(is_scale_zero),
      .is_infinite(is_scale_infinite),
      .is_nan(is_scale_nan)
  );

  for (genvar i = 0; i < LANES; i++) begin : g_lane
    logic [7:0] source;
    logic signed [8:0] value, weight;
    logic signed [31:0] sum;
    logic [7:0] found, clamped, requantised, computed;
    logic [31:0] dequantised;
    assign source = sp_r_data[8*i+:8];
    assign value = $signed({!is_unsigned && source[7], source});
    assign weight = opcode_q == isa_pkg::OP_DEPTHWISE
        ? $signed({!is_weight_unsigned && weights[8*i+7], weights[8*i+:8]}) - weight_zero_point : 9'sd1;

    window_lane window (
        .clk,
        .enable(is_taken),
        .is_first(is_first_taken),
        .is_maximum(opcode_q == isa_pkg::OP_MAXIMUM),
        .value,
        .zero_point(source_zero_point),
        .weight,
        .sum
    );
    assign clamped = sum < 32'(low) ? 8'(low) : sum > 32'(high) ? 8'(high) : 8'(sum);
    always_ff @(posedge clk) if (is_taken) found <= entries[source];

    real_lane real_numbers (
        .clk,
        .is_add,
        .is_multiply,
        .is_quantise,
        .is_dequantise,
        .value,
        .is_left(is_first_taken),
        .number(acc_r_data[32*(i%machine_pkg::COLUMNS)+:32]),
        .left_zero_point(source_zero_point),
        .right_zero_point(weight_zero_point),
        .scale,
        .right_scale,
        .offset,
        .scale_significand,
        .scale_exponent,
        .is_scale_zero,
        .is_scale_infinite,
        .is_scale_nan,
        .zero_point,
        .low,
        .high,
        .dequantised,
        .result(computed)
    );

    if (i < machine_pkg::COLUMNS) begin : g_requantise
      assign acc_w_data[32*i+:32] = dequantised;
      requantise_lane requantise (
          .clk,
          .acc(opcode_q == isa_pkg::OP_REQUANTISE ? acc_r_data[32*i+:32] : sum),
          .bias(words[i]),
          .scale(words[machine_pkg::COLUMNS+i]),
          .zero_point,
          .low,
          .high,
          .result(requantised)
      );
    end else begin : g_no_requantise
      assign requantised = '0;
    end

    always_comb
      case (opcode_q)
        isa_pkg::OP_MAXIMUM: sp_w_data[8*i+:8] = clamped;
        isa_pkg::OP_LOOKUP: sp_w_data[8*i+:8] = found;
        isa_pkg::OP_ADD_B, isa_pkg::OP_MULTIPLY_B, isa_pkg::OP_QUANTISE: sp_w_data[8*i+:8] = computed;
        default: sp_w_data[8*i+:8] = requantised;
      endcase
  end

  // ---- result and completion
  logic has_result, result_is_last, result_completes;
  logic [machine_pkg::ROW_BITS-1:0] result_row;
  result_queue #(
      .WIDTH(machine_pkg::ROW_BITS + 1),
      .DEPTH(MOST_STAGES)
  ) results (
      .clk,
      .rst,
      .stages,
      .valid_in(has_beat && is_last_tap),
      .data_in({target, is_last}),
      .valid_out(has_result),
      .data_out({result_row, result_is_last})
  );
  assign sp_w_en = has_result && !is_dequantise;
  assign sp_w_row = SP_ROW_BITS'(result_row);
  assign acc_w_en = has_result && is_dequantise;
  assign acc_w_row = ACC_ROW_BITS'(result_row);
  assign result_completes = has_result && result_is_last;
  assign completes = result_completes || issues && is_sync;
  assign posts = result_completes ? latest_posts : command.posts;

  always_ff @(posedge clk) is_busy <= !rst && (is_busy || start) && !result_completes;

  // ---- ports of the banks: those of the preface to its last beat, of other reads to the last beat, of writes to completion
  assign holds.sp_read = !walk_busy ? '0 : is_preface ? banks.sp_read : sp_streamed;
  assign holds.sp_write = is_busy ? banks.sp_write : '0;
  assign holds.acc_read = walk_busy ? banks.acc_read : '0;
  assign holds.acc_write = is_busy ? banks.acc_write : '0;
endmodule
