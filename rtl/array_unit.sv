// Systolic array with its control: preloads and runs issue from one queue and may overlap. Beat t of either reads the
// scratchpad, at t + 1 the zero point is subtracted, from t + 2 on it moves through the array. A run's row is back,
// deskewed, to be accumulated at t + ROWS + COLUMNS + 1.
module array_unit (
    input  logic                                 clk,
    input  logic                                 rst,
    // queue and tokens
    input  logic                                 is_present,
    input  types_pkg::command_t                  command,
    output logic                                 issues,
    input  logic [isa_pkg::WAIT_BITS-1:0]        tokens,
    output logic                                 preload_completes,
    output logic [isa_pkg::POST_BITS-1:0]        preload_posts,
    output logic                                 run_completes,   // `sync` completes on this port too
    output logic [isa_pkg::POST_BITS-1:0]        run_posts,
    output types_pkg::banks_t                    holds,
    output logic                                 is_idle,         // nothing that issued is incomplete
    // observation
    output logic                                 is_preload,      // the oldest instruction is one
    output logic                                 is_preload_last_beat,
    output logic                                 is_run_last_beat,
    output logic [3:0]                           cycle_class,
    // scratchpad read ports of preload and run, data one cycle later
    output logic                                 preload_r_en,
    output logic [machine_pkg::SP_ROW_BITS-1:0]  preload_r_row,
    input  logic [8*machine_pkg::LANES-1:0]      preload_r_data,
    output logic                                 run_r_en,
    output logic [machine_pkg::SP_ROW_BITS-1:0]  run_r_row,
    input  logic [8*machine_pkg::LANES-1:0]      run_r_data,
    // accumulator ports
    output logic                                 acc_r_en,
    output logic [machine_pkg::ACC_ROW_BITS-1:0] acc_r_row,
    input  logic [32*machine_pkg::COLUMNS-1:0]   acc_r_data,
    output logic                                 acc_w_en,
    output logic [machine_pkg::ACC_ROW_BITS-1:0] acc_w_row,
    output logic [32*machine_pkg::COLUMNS-1:0]   acc_w_data
);
  localparam int SP_ROW_BITS = machine_pkg::SP_ROW_BITS;
  localparam int ACC_ROW_BITS = machine_pkg::ACC_ROW_BITS;
  localparam int PATH = machine_pkg::ROWS + machine_pkg::COLUMNS;  // beat to read of the accumulator
  localparam int COUNT_BITS = $clog2(PATH + 6);  // instructions in flight: a run a cycle on the path, and two preloads

  // ---- issue
  logic is_run, is_sync, preload_busy, run_busy, preload_beat, run_beat;
  logic [COUNT_BITS-1:0] in_flight;
  types_pkg::banks_t preload_banks, run_banks;  // of the latest
  assign is_preload = command.opcode == isa_pkg::OP_PRELOAD;
  assign is_run = command.opcode == isa_pkg::OP_RUN;
  assign is_sync = command.opcode == isa_pkg::OP_SYNC_ARRAY;
  assign is_idle = in_flight == '0;

  logic meets_run, meets_preload;
  assign meets_run = run_busy && (command.banks.sp_read & run_banks.sp_read) != '0;
  assign meets_preload = preload_busy && (command.banks.sp_read & preload_banks.sp_read) != '0;

  issue #(
      .UNIT(isa_pkg::UNIT_ARRAY)
  ) issue (
      .is_present,
      .is_port_free(!(is_preload && (preload_busy || meets_run)) && !(is_run && (run_busy || meets_preload))),
      .is_drained(!is_sync || is_idle),
      .has_room(1'b1),
      .waits(command.waits),
      .tokens,
      .issues,
      .has_beat(preload_beat || run_beat || issues && is_sync),
      .beat_class(preload_beat && !run_beat ? isa_pkg::CLASS_PRELOAD : isa_pkg::CLASS_BUSY),
      .cycle_class
  );

  // ---- preload: ROWS beats (transposed: COLUMNS), the first `valid_beats` of which read `valid_lanes` lanes
  typedef struct packed {
    logic [8:0]                    beats_left;
    logic [8:0]                    reads_left;
    logic [SP_ROW_BITS-1:0]        row;
    logic [SP_ROW_BITS-1:0]        step;
    logic [8:0]                    lanes;
    logic [8:0]                    zero_point;
    logic                          is_unsigned;
    logic                          is_transposed;
    logic                          buffer;
    logic [isa_pkg::POST_BITS-1:0] posts;
  } preload_t;
  preload_t preload, preload_q;
  logic preload_start, run_buffer, loaded_buffer;
  assign preload_start = issues && is_preload;

  always_comb begin
    preload = preload_q;
    if (preload_start) begin
      preload.is_transposed = command.flags[isa_pkg::FLAG_PRELOAD_TRANSPOSED];
      if (preload.is_transposed) begin
        preload.beats_left = 9'(machine_pkg::COLUMNS);
        preload.reads_left = 9'(command.operand[isa_pkg::SLOT_PRELOAD_COLUMNS]);
        preload.lanes = 9'(command.operand[isa_pkg::SLOT_PRELOAD_ROWS]);
      end else begin
        preload.beats_left = 9'(machine_pkg::ROWS);
        preload.reads_left = 9'(command.operand[isa_pkg::SLOT_PRELOAD_ROWS]);
        preload.lanes = 9'(command.operand[isa_pkg::SLOT_PRELOAD_COLUMNS]);
      end
      preload.row = SP_ROW_BITS'(command.operand[isa_pkg::SLOT_PRELOAD_SP]);
      preload.step = SP_ROW_BITS'(command.operand[isa_pkg::SLOT_PRELOAD_STEP]);
      preload.zero_point = 9'(command.operand[isa_pkg::SLOT_PRELOAD_ZP]);
      preload.is_unsigned = command.flags[isa_pkg::FLAG_PRELOAD_U8];
      preload.buffer = !run_buffer;
      preload.posts = command.posts;
    end
  end
  assign preload_beat = preload_start || preload_busy;
  assign is_preload_last_beat = preload_beat && preload.beats_left == 9'd1;
  assign preload_r_en = preload_beat && preload.reads_left != '0;
  assign preload_r_row = preload.row;

  always_ff @(posedge clk) begin
    preload_q <= preload;
    if (preload_beat) begin
      preload_q.beats_left <= preload.beats_left - 9'd1;
      preload_q.row <= preload.row + preload.step;
      if (preload_r_en) preload_q.reads_left <= preload.reads_left - 9'd1;
    end
    if (preload_start) preload_banks <= command.banks;
    preload_busy <= !rst && preload_beat && !is_preload_last_beat;
    preload_completes <= !rst && is_preload_last_beat;
    preload_posts <= preload.posts;
  end

  // ---- run
  typedef struct packed {
    logic                          is_accumulate;
    logic [8:0]                    zero_point;
    logic                          is_unsigned;
    logic                          buffer;
    logic [isa_pkg::POST_BITS-1:0] posts;
    types_pkg::banks_t             banks;
  } run_t;
  run_t run, run_q;
  logic run_start;
  logic [ACC_ROW_BITS-1:0] acc_row;
  assign run_start = issues && is_run;
  assign run_beat = run_start || run_busy;

  always_comb begin
    run = run_q;
    if (run_start) begin
      run.is_accumulate = command.flags[isa_pkg::FLAG_RUN_ACCUMULATE];
      run.zero_point = 9'(command.operand[isa_pkg::SLOT_RUN_ZP]);
      run.is_unsigned = command.flags[isa_pkg::FLAG_RUN_U8];
      run.buffer = loaded_buffer;
      run.posts = command.posts;
      run.banks = command.banks;
    end
  end

  logic run_is_last;
  row_walk #(
      .A_BITS(SP_ROW_BITS),
      .B_BITS(ACC_ROW_BITS)
  ) run_walk (
      .clk,
      .rst,
      .start(run_start),
      .step(1'b1),
      .rows(16'(command.operand[isa_pkg::SLOT_RUN_ROWS])),
      .planes(16'(command.operand[isa_pkg::SLOT_RUN_PLANES])),
      .a_first(SP_ROW_BITS'(command.operand[isa_pkg::SLOT_RUN_SP])),
      .a_step(SP_ROW_BITS'(command.operand[isa_pkg::SLOT_RUN_STEP])),
      .a_plane_step(SP_ROW_BITS'(command.operand[isa_pkg::SLOT_RUN_PLANE_STEP])),
      .b_first(ACC_ROW_BITS'(command.operand[isa_pkg::SLOT_RUN_ACC])),
      .b_step(ACC_ROW_BITS'(command.operand[isa_pkg::SLOT_RUN_ACC_STEP])),
      .b_plane_step(ACC_ROW_BITS'(command.operand[isa_pkg::SLOT_RUN_ACC_PLANE_STEP])),
      .is_busy(run_busy),
      .is_last(run_is_last),
      .a(run_r_row),
      .b(acc_row)
  );
  assign run_r_en = run_beat;
  assign is_run_last_beat = run_beat && run_is_last || issues && is_sync;
  assign run_banks = run_q.banks;

  // A preload goes to the buffer that the latest run does not use; a run uses the latest preload's.
  always_ff @(posedge clk) begin
    run_q <= run;
    if (rst) begin
      run_buffer <= 1'b0;
      loaded_buffer <= 1'b0;
    end else begin
      if (preload_start) loaded_buffer <= preload.buffer;
      if (run_start) run_buffer <= run.buffer;
    end
  end

  // ---- edges of the array: data of the beat at t are here at t + 1 and enter at t + 2
  logic [8:0] preload_zero_point, preload_lanes, run_zero_point;
  logic preload_unsigned, run_unsigned;
  logic load_1, load_2, load_buffer_1, load_buffer_2, load_transposed_1, load_transposed_2, run_buffer_1, run_buffer_2;
  logic [machine_pkg::LANES-1:0][8:0] weights, x;
  logic [machine_pkg::COLUMNS-1:0][31:0] sums;

  always_ff @(posedge clk) begin
    preload_zero_point <= preload.zero_point;
    preload_lanes <= preload_r_en ? preload.lanes : '0;
    preload_unsigned <= preload.is_unsigned;
    run_zero_point <= run.zero_point;
    run_unsigned <= run.is_unsigned;
    {load_2, load_1} <= {load_1, preload_start};
    {load_buffer_2, load_buffer_1} <= {load_buffer_1, preload.buffer};
    {load_transposed_2, load_transposed_1} <= {load_transposed_1, preload.is_transposed};
    {run_buffer_2, run_buffer_1} <= {run_buffer_1, run.buffer};
  end

  array_edge preload_edge (
      .clk,
      .data(preload_r_data),
      .is_unsigned(preload_unsigned),
      .zero_point(preload_zero_point),
      .lanes(preload_lanes),
      .values(weights)
  );
  array_edge run_edge (
      .clk,
      .data(run_r_data),
      .is_unsigned(run_unsigned),
      .zero_point(run_zero_point),
      .lanes(9'(machine_pkg::LANES)),
      .values(x)
  );

  systolic_array pes (
      .clk,
      .x(x[machine_pkg::ROWS-1:0]),
      .run_buffer(run_buffer_2),
      .weights,
      .load(load_2),
      .load_buffer(load_buffer_2),
      .load_transposed(load_transposed_2),
      .sums
  );

  // ---- accumulation: what a row's sums are for travels beside them
  typedef struct packed {
    logic [ACC_ROW_BITS-1:0]       row;
    logic                          is_accumulate;
    logic                          is_last;
    logic [isa_pkg::POST_BITS-1:0] posts;
    types_pkg::banks_t             banks;
  } result_t;
  result_t arriving;  // its row of the accumulator is read
  logic has_arriving;
  result_t result;    // it is written
  logic has_result;

  delay #(
      .WIDTH ($bits(result_t)),
      .CYCLES(PATH)
  ) path (
      .clk,
      .rst,
      .valid_in(run_beat),
      .data_in({acc_row, run.is_accumulate, run_is_last, run.posts, run.banks}),
      .valid_out(has_arriving),
      .data_out(arriving)
  );
  accumulate accumulate (
      .clk,
      .rst,
      .has_row(has_arriving),
      .row(arriving.row),
      .is_accumulate(arriving.is_accumulate),
      .sums,
      .acc_r_en,
      .acc_r_row,
      .acc_r_data,
      .acc_w_en,
      .acc_w_row,
      .acc_w_data
  );

  logic transfer_completes;
  assign transfer_completes = has_result && result.is_last;
  assign run_completes = transfer_completes || issues && is_sync;
  assign run_posts = transfer_completes ? result.posts : command.posts;

  always_ff @(posedge clk) begin
    result <= arriving;
    has_result <= !rst && has_arriving;
    in_flight <= rst ? '0 : in_flight + COUNT_BITS'(issues) - COUNT_BITS'(preload_completes) - COUNT_BITS'(run_completes);
  end

  // ---- ports of the banks: scratchpad to the last beat, accumulator reads to the last read, writes to completion
  assign holds.sp_read = (preload_busy ? preload_banks.sp_read : '0) | (run_busy ? run_banks.sp_read : '0);
  assign holds.sp_write = '0;
  holds #(
      .BANKS(machine_pkg::ACC_BANKS),
      .COUNT_BITS(COUNT_BITS)
  ) read_holds (
      .clk,
      .rst,
      .take(run_start),
      .taken(command.banks.acc_read),
      .release_(has_arriving && arriving.is_last),
      .released(arriving.banks.acc_read),
      .is_held(holds.acc_read)
  );
  holds #(
      .BANKS(machine_pkg::ACC_BANKS),
      .COUNT_BITS(COUNT_BITS)
  ) write_holds (
      .clk,
      .rst,
      .take(run_start),
      .taken(command.banks.acc_write),
      .release_(transfer_completes),
      .released(result.banks.acc_write),
      .is_held(holds.acc_write)
  );
endmodule
