// The accelerator: a sequencer, four units with a queue each, two banked memories. DRAM is outside: a read channel whose data
// come READ_LATENCY cycles after the request, and a write channel that commits at once.
//
// A launch: while rst is high the host writes program and arguments; the first cycle with rst low is cycle 0.
module accel (
    input  logic                             clk,
    input  logic                             rst,
    // host
    input  logic                             host_instruction_en,
    input  logic                             host_argument_en,
    input  logic [31:0]                      host_address,
    input  logic [isa_pkg::WORD_BITS-1:0]    host_data,
    input  logic [31:0]                      program_words,
    input  logic [31:0]                      argument_count,
    input  logic [63:0]                      max_cycles,
    input  logic [31:0]                      dram_bytes,
    // DRAM, addressed in bus words
    output logic                             dram_r_en,
    output logic [31:0]                      dram_r_word,
    input  logic [8*machine_pkg::BUS-1:0]    dram_r_data,
    output logic [machine_pkg::BUS-1:0]      dram_w_strobe,
    output logic [31:0]                      dram_w_word,
    output logic [8*machine_pkg::BUS-1:0]    dram_w_data,
    // events of this cycle; issue, last beat and completion by port, as each is in order there
    output logic                             dispatches,
    output logic [31:0]                      pc,
    output logic [5:0]                       dispatch_fault,
    output logic [isa_pkg::UNITS-1:0]        enqueues,
    output logic [isa_pkg::PORTS-1:0]        issues,
    output logic [isa_pkg::PORTS-1:0]        last_beats,
    output logic [isa_pkg::PORTS-1:0]        completes,
    // what the cycle went to
    output logic [isa_pkg::UNITS-1:0][3:0]   unit_class,
    output logic [3:0]                       sequencer_class,
    // state
    output logic                             has_halted,
    output logic                             has_faulted,
    output logic                             is_waiting,
    output logic [isa_pkg::UNITS-1:0]        is_queued,      // the unit has instructions that have not issued
    output logic                             is_quiet,       // nothing moves, and nothing ever will
    output logic                             is_port_fault,
    output logic [1:0]                       port_fault_unit,
    output logic [5:0]                       port_fault
);
  localparam int LOAD = 32'(isa_pkg::UNIT_LOAD);
  localparam int STORE = 32'(isa_pkg::UNIT_STORE);
  localparam int ARRAY = 32'(isa_pkg::UNIT_ARRAY);
  localparam int VECTOR = 32'(isa_pkg::UNIT_VECTOR);

  logic [isa_pkg::UNITS-1:0] is_full, unit_issues, unit_idle;
  types_pkg::command_t pushed, load_command, store_command, array_command, vector_command;
  types_pkg::banks_t [isa_pkg::UNITS-1:0] holds, needs;
  logic is_all_complete, is_in_bubble, is_preload;

  assign is_all_complete = unit_idle == '1 && is_queued == '0;

  // ---- sequencer and queues
  sequencer sequencer (
      .clk,
      .rst,
      .host_instruction_en,
      .host_argument_en,
      .host_address,
      .host_data,
      .program_words,
      .argument_count,
      .max_cycles,
      .dram_bytes,
      .is_full,
      .is_all_complete,
      .push(enqueues),
      .command(pushed),
      .dispatches,
      .pc,
      .fault(dispatch_fault),
      .has_halted,
      .has_faulted,
      .is_waiting,
      .is_in_bubble,
      .cycle_class(sequencer_class)
  );

  command_queue load_queue (
      .clk,
      .rst,
      .push(enqueues[LOAD]),
      .pushed,
      .is_full(is_full[LOAD]),
      .pop(unit_issues[LOAD]),
      .is_present(is_queued[LOAD]),
      .head(load_command)
  );
  command_queue store_queue (
      .clk,
      .rst,
      .push(enqueues[STORE]),
      .pushed,
      .is_full(is_full[STORE]),
      .pop(unit_issues[STORE]),
      .is_present(is_queued[STORE]),
      .head(store_command)
  );
  command_queue array_queue (
      .clk,
      .rst,
      .push(enqueues[ARRAY]),
      .pushed,
      .is_full(is_full[ARRAY]),
      .pop(unit_issues[ARRAY]),
      .is_present(is_queued[ARRAY]),
      .head(array_command)
  );
  command_queue vector_queue (
      .clk,
      .rst,
      .push(enqueues[VECTOR]),
      .pushed,
      .is_full(is_full[VECTOR]),
      .pop(unit_issues[VECTOR]),
      .is_present(is_queued[VECTOR]),
      .head(vector_command)
  );

  // ---- tokens
  logic [isa_pkg::PORTS-1:0][isa_pkg::POST_BITS-1:0] posts;
  logic [isa_pkg::CHANNELS-1:0] post, take, is_available;

  always_comb begin
    post = '0;
    for (int p = 0; p < isa_pkg::PORTS; p++)
      for (int i = 0; i < isa_pkg::POST_BITS; i++)
        if (completes[p] && posts[p][i]) post |= isa_pkg::channel_posted(3'(p), 3'(i));
    take = '0;
    if (unit_issues[LOAD]) take[isa_pkg::FIRST_CHANNEL_LOAD+:isa_pkg::WAITS_LOAD] = load_command.waits[isa_pkg::WAITS_LOAD-1:0];
    if (unit_issues[STORE]) take[isa_pkg::FIRST_CHANNEL_STORE+:isa_pkg::WAITS_STORE] = store_command.waits[isa_pkg::WAITS_STORE-1:0];
    if (unit_issues[ARRAY]) take[isa_pkg::FIRST_CHANNEL_ARRAY+:isa_pkg::WAITS_ARRAY] = array_command.waits[isa_pkg::WAITS_ARRAY-1:0];
    if (unit_issues[VECTOR]) take[isa_pkg::FIRST_CHANNEL_VECTOR+:isa_pkg::WAITS_VECTOR] = vector_command.waits[isa_pkg::WAITS_VECTOR-1:0];
  end

  tokens tokens (
      .clk,
      .rst,
      .post,
      .take,
      .is_available
  );

  // ---- units
  logic [machine_pkg::LANES-1:0] load_sp_strobe;
  logic [machine_pkg::COLUMNS-1:0] load_acc_strobe;
  logic [machine_pkg::SP_ROW_BITS-1:0] load_sp_row, store_sp_row, preload_sp_row, run_sp_row, vector_sp_row, vector_sp_w_row;
  logic [machine_pkg::ACC_ROW_BITS-1:0] load_acc_row, store_acc_row, run_acc_row, run_acc_w_row, vector_acc_row, vector_acc_w_row;
  logic [8*machine_pkg::LANES-1:0] load_sp_data, store_sp_data, preload_sp_data, run_sp_data, vector_sp_data, vector_sp_w_data;
  logic [32*machine_pkg::COLUMNS-1:0] load_acc_data, store_acc_data, run_acc_data, run_acc_w_data, vector_acc_data, vector_acc_w_data;
  logic store_sp_en, preload_sp_en, run_sp_en, vector_sp_en, vector_sp_w_en;
  logic store_acc_en, run_acc_en, run_acc_w_en, vector_acc_en, vector_acc_w_en;

  load_unit load_unit (
      .clk,
      .rst,
      .is_present(is_queued[LOAD]),
      .command(load_command),
      .issues(unit_issues[LOAD]),
      .tokens(isa_pkg::WAIT_BITS'(is_available[isa_pkg::FIRST_CHANNEL_LOAD+:isa_pkg::WAITS_LOAD])),
      .completes(completes[isa_pkg::PORT_LOAD]),
      .posts(posts[isa_pkg::PORT_LOAD]),
      .holds(holds[LOAD]),
      .is_idle(unit_idle[LOAD]),
      .is_last_beat(last_beats[isa_pkg::PORT_LOAD]),
      .cycle_class(unit_class[LOAD]),
      .dram_r_en,
      .dram_r_word,
      .dram_r_data,
      .sp_w_strobe(load_sp_strobe),
      .sp_w_row(load_sp_row),
      .sp_w_data(load_sp_data),
      .acc_w_strobe(load_acc_strobe),
      .acc_w_row(load_acc_row),
      .acc_w_data(load_acc_data)
  );

  store_unit store_unit (
      .clk,
      .rst,
      .is_present(is_queued[STORE]),
      .command(store_command),
      .issues(unit_issues[STORE]),
      .tokens(isa_pkg::WAIT_BITS'(is_available[isa_pkg::FIRST_CHANNEL_STORE+:isa_pkg::WAITS_STORE])),
      .completes(completes[isa_pkg::PORT_STORE]),
      .posts(posts[isa_pkg::PORT_STORE]),
      .holds(holds[STORE]),
      .is_idle(unit_idle[STORE]),
      .is_last_beat(last_beats[isa_pkg::PORT_STORE]),
      .cycle_class(unit_class[STORE]),
      .sp_r_en(store_sp_en),
      .sp_r_row(store_sp_row),
      .sp_r_data(store_sp_data),
      .acc_r_en(store_acc_en),
      .acc_r_row(store_acc_row),
      .acc_r_data(store_acc_data),
      .dram_w_strobe,
      .dram_w_word,
      .dram_w_data
  );

  array_unit array_unit (
      .clk,
      .rst,
      .is_present(is_queued[ARRAY]),
      .command(array_command),
      .issues(unit_issues[ARRAY]),
      .tokens(isa_pkg::WAIT_BITS'(is_available[isa_pkg::FIRST_CHANNEL_ARRAY+:isa_pkg::WAITS_ARRAY])),
      .preload_completes(completes[isa_pkg::PORT_PRELOAD]),
      .preload_posts(posts[isa_pkg::PORT_PRELOAD]),
      .run_completes(completes[isa_pkg::PORT_RUN]),
      .run_posts(posts[isa_pkg::PORT_RUN]),
      .holds(holds[ARRAY]),
      .is_idle(unit_idle[ARRAY]),
      .is_preload,
      .is_preload_last_beat(last_beats[isa_pkg::PORT_PRELOAD]),
      .is_run_last_beat(last_beats[isa_pkg::PORT_RUN]),
      .cycle_class(unit_class[ARRAY]),
      .preload_r_en(preload_sp_en),
      .preload_r_row(preload_sp_row),
      .preload_r_data(preload_sp_data),
      .run_r_en(run_sp_en),
      .run_r_row(run_sp_row),
      .run_r_data(run_sp_data),
      .acc_r_en(run_acc_en),
      .acc_r_row(run_acc_row),
      .acc_r_data(run_acc_data),
      .acc_w_en(run_acc_w_en),
      .acc_w_row(run_acc_w_row),
      .acc_w_data(run_acc_w_data)
  );

  vector_unit vector_unit (
      .clk,
      .rst,
      .is_present(is_queued[VECTOR]),
      .command(vector_command),
      .issues(unit_issues[VECTOR]),
      .tokens(isa_pkg::WAIT_BITS'(is_available[isa_pkg::FIRST_CHANNEL_VECTOR+:isa_pkg::WAITS_VECTOR])),
      .completes(completes[isa_pkg::PORT_VECTOR]),
      .posts(posts[isa_pkg::PORT_VECTOR]),
      .holds(holds[VECTOR]),
      .is_idle(unit_idle[VECTOR]),
      .is_last_beat(last_beats[isa_pkg::PORT_VECTOR]),
      .cycle_class(unit_class[VECTOR]),
      .sp_r_en(vector_sp_en),
      .sp_r_row(vector_sp_row),
      .sp_r_data(vector_sp_data),
      .acc_r_en(vector_acc_en),
      .acc_r_row(vector_acc_row),
      .acc_r_data(vector_acc_data),
      .sp_w_en(vector_sp_w_en),
      .sp_w_row(vector_sp_w_row),
      .sp_w_data(vector_sp_w_data),
      .acc_w_en(vector_acc_w_en),
      .acc_w_row(vector_acc_w_row),
      .acc_w_data(vector_acc_w_data)
  );

  // ---- memories
  banked_memory #(
      .BANKS(machine_pkg::SP_BANKS),
      .BANK_ROWS(machine_pkg::SP_BANK_ROWS),
      .ROW_BITS(machine_pkg::SP_ROW_BITS),
      .WIDTH(8 * machine_pkg::LANES),
      .GRAIN(8),
      .READERS(4),
      .WRITERS(2)
  ) scratchpad (
      .clk,
      .r_en({store_sp_en, preload_sp_en, run_sp_en, vector_sp_en}),
      .r_row({store_sp_row, preload_sp_row, run_sp_row, vector_sp_row}),
      .r_data({store_sp_data, preload_sp_data, run_sp_data, vector_sp_data}),
      .w_strobe({load_sp_strobe, {machine_pkg::LANES{vector_sp_w_en}}}),
      .w_row({load_sp_row, vector_sp_w_row}),
      .w_data({load_sp_data, vector_sp_w_data})
  );
  banked_memory #(
      .BANKS(machine_pkg::ACC_BANKS),
      .BANK_ROWS(machine_pkg::ACC_BANK_ROWS),
      .ROW_BITS(machine_pkg::ACC_ROW_BITS),
      .WIDTH(32 * machine_pkg::COLUMNS),
      .GRAIN(32),
      .READERS(3),
      .WRITERS(3)
  ) accumulator (
      .clk,
      .r_en({store_acc_en, run_acc_en, vector_acc_en}),
      .r_row({store_acc_row, run_acc_row, vector_acc_row}),
      .r_data({store_acc_data, run_acc_data, vector_acc_data}),
      .w_strobe({load_acc_strobe, {machine_pkg::COLUMNS{run_acc_w_en}}, {machine_pkg::COLUMNS{vector_acc_w_en}}}),
      .w_row({load_acc_row, run_acc_w_row, vector_acc_w_row}),
      .w_data({load_acc_data, run_acc_w_data, vector_acc_w_data})
  );

  assign needs = {vector_command.banks, array_command.banks, store_command.banks, load_command.banks};  // by unit
  bank_ports bank_ports (
      .issues(unit_issues),
      .needs,
      .holds,
      .is_fault(is_port_fault),
      .unit(port_fault_unit),
      .fault(port_fault)
  );

  // ---- observation
  always_comb begin
    issues = '0;
    issues[isa_pkg::PORT_LOAD] = unit_issues[LOAD];
    issues[isa_pkg::PORT_STORE] = unit_issues[STORE];
    issues[isa_pkg::PORT_PRELOAD] = unit_issues[ARRAY] && is_preload;
    issues[isa_pkg::PORT_RUN] = unit_issues[ARRAY] && !is_preload;
    issues[isa_pkg::PORT_VECTOR] = unit_issues[VECTOR];
  end
  assign is_quiet = !dispatches && !is_in_bubble && unit_issues == '0 && unit_idle == '1;
endmodule
