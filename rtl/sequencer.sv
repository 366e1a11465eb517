// Sequencer: fetches, executes scalar instructions at dispatch, captures the registers of tensor instructions and puts them
// into their unit's queue. One dispatch a cycle; after a taken branch one cycle goes to fetching from the target.
module sequencer (
    input  logic                                 clk,
    input  logic                                 rst,
    // program and arguments, written by the host while rst is high
    input  logic                                 host_instruction_en,
    input  logic                                 host_argument_en,
    input  logic [31:0]                          host_address,
    input  logic [isa_pkg::WORD_BITS-1:0]        host_data,
    input  logic [31:0]                          program_words,
    input  logic [31:0]                          argument_count,
    input  logic [63:0]                          max_cycles,    // nothing dispatches from this cycle on
    input  logic [31:0]                          dram_bytes,    // size of DRAM
    // queues
    input  logic [isa_pkg::UNITS-1:0]            is_full,
    input  logic                                 is_all_complete,
    output logic [isa_pkg::UNITS-1:0]            push,
    output types_pkg::command_t                  command,
    // observation
    output logic                                 dispatches,
    output logic [31:0]                          pc,
    output logic [5:0]                           fault,         // of the instruction that dispatches
    output logic                                 has_halted,
    output logic                                 has_faulted,
    output logic                                 is_waiting,    // for a place in a queue, or at a fence
    output logic                                 is_in_bubble,
    output logic [3:0]                           cycle_class
);
  // ---- fetch: the word of `pc` is there one cycle after pc changes, but for pc + 1, which is read ahead
  logic [isa_pkg::WORD_BITS-1:0] word;
  logic [31:0] fetch_pc;
  assign fetch_pc = rst ? '0 : dispatches ? pc + 32'd1 : pc;

  sram #(
      .WIDTH(isa_pkg::WORD_BITS),
      .GRAIN(isa_pkg::WORD_BITS),
      .DEPTH(machine_pkg::INSTRUCTION_WORDS),
      .ADDRESS_BITS(machine_pkg::PC_BITS)
  ) instructions (
      .clk,
      .r_en(1'b1),
      .r_address(machine_pkg::PC_BITS'(fetch_pc)),
      .r_data(word),
      .w_strobe(host_instruction_en),
      .w_address(machine_pkg::PC_BITS'(host_address)),
      .w_data(host_data)
  );

  logic [31:0] arguments[machine_pkg::ARGUMENT_WORDS];
  always_ff @(posedge clk) if (host_argument_en) arguments[machine_pkg::ARGUMENT_BITS'(host_address)] <= host_data[31:0];

  // ---- decode and operands
  logic [7:0] opcode;
  isa_pkg::row_t row;
  logic [31:0] immediate, a, b;
  logic [isa_pkg::SLOTS-1:0][31:0] operand;
  logic [isa_pkg::FLAGS-1:0] flags;
  logic [isa_pkg::REGISTERS-1:0][31:0] registers;  // x0 is never written and stays 0
  logic is_in_program, is_legal, is_tensor;

  assign opcode = word[isa_pkg::OPCODE_LSB+:8];
  assign row = isa_pkg::row_of(opcode);
  assign immediate = word[isa_pkg::IMM_LSB+:32];
  assign flags = word[isa_pkg::FLAG_LSB+:isa_pkg::FLAGS];
  assign is_in_program = pc < program_words;
  assign is_legal = (word & row.reserved) == '0;
  assign is_tensor = is_in_program && is_legal && row.is_tensor;
  assign a = registers[word[isa_pkg::RS1_LSB+:5]];
  assign b = row.has_immediate ? immediate : registers[word[isa_pkg::RS2_LSB+:5]];

  always_comb
    for (int i = 0; i < isa_pkg::SLOTS; i++) begin
      operand[i] = registers[word[isa_pkg::SLOT_LSB+isa_pkg::SLOT_BITS*i+:isa_pkg::SLOT_BITS]];
      if (row.is_one[i] && word[isa_pkg::SLOT_LSB+isa_pkg::SLOT_BITS*i+:isa_pkg::SLOT_BITS] == '0) operand[i] = 32'd1;
    end

  // ---- dispatch
  logic has_ended, is_before_bound, waits_for_queue, waits_at_fence, has_weights;
  logic [63:0] cycle;
  logic [5:0] tensor_fault;
  logic [31:0] argument;
  types_pkg::banks_t banks;
  logic [machine_pkg::SP_BANKS-1:0] sp_streamed;

  assign has_ended = has_halted || has_faulted;
  assign is_before_bound = cycle < max_cycles;
  assign waits_for_queue = is_tensor && is_full[row.unit];
  assign waits_at_fence = is_in_program && is_legal && opcode == isa_pkg::OP_FENCE && !is_all_complete;
  assign is_waiting = !has_ended && !is_in_bubble && (waits_for_queue || waits_at_fence);
  assign dispatches = !rst && !has_ended && !is_in_bubble && is_before_bound && !is_waiting;

  dispatch_check check (
      .row,
      .opcode,
      .flags,
      .operand,
      .has_weights,
      .dram_bytes,
      .fault(tensor_fault),
      .banks,
      .sp_streamed
  );

  assign argument = immediate + a;  // index of larg
  always_comb begin
    if (!is_in_program) fault = isa_pkg::FAULT_FETCH;
    else if (!is_legal) fault = isa_pkg::FAULT_ILLEGAL;
    else if (row.is_tensor) fault = tensor_fault;
    else if (opcode == isa_pkg::OP_TRAP) fault = isa_pkg::FAULT_TRAP;
    else if (opcode == isa_pkg::OP_LARG && argument >= argument_count) fault = isa_pkg::FAULT_ARGUMENT;
    else fault = isa_pkg::FAULT_NONE;
  end

  always_comb begin
    push = '0;
    push[row.unit] = dispatches && is_tensor && fault == isa_pkg::FAULT_NONE;
    command.opcode = opcode;
    command.waits = word[isa_pkg::WAIT_LSB+:isa_pkg::WAIT_BITS];
    command.posts = word[isa_pkg::POST_LSB+:isa_pkg::POST_BITS];
    command.flags = flags;
    command.operand = operand;
    command.banks = banks;
    command.sp_streamed = sp_streamed;
  end

  // ---- scalar execution
  logic [31:0] alu_result, result, target;
  logic is_branch_taken, jumps;

  alu alu (
      .opcode,
      .a,
      .b,
      .result(alu_result),
      .is_taken(is_branch_taken)
  );

  always_comb begin
    case (opcode)
      isa_pkg::OP_LI: result = immediate;
      isa_pkg::OP_LARG: result = arguments[machine_pkg::ARGUMENT_BITS'(argument)];
      isa_pkg::OP_RDCYCLE: result = cycle[31:0];
      isa_pkg::OP_JAL, isa_pkg::OP_JALR: result = pc + 32'd1;
      default: result = alu_result;
    endcase
    jumps = is_branch_taken || opcode == isa_pkg::OP_JAL || opcode == isa_pkg::OP_JALR;
    target = opcode == isa_pkg::OP_JALR ? alu_result : pc + immediate;
  end

  always_ff @(posedge clk) begin
    if (rst) begin
      pc <= '0;
      cycle <= '0;
      is_in_bubble <= 1'b0;
      has_halted <= 1'b0;
      has_faulted <= 1'b0;
      has_weights <= 1'b0;
      registers <= '0;
    end else begin
      cycle <= cycle + 64'd1;
      is_in_bubble <= 1'b0;
      if (dispatches) begin
        if (fault != isa_pkg::FAULT_NONE) has_faulted <= 1'b1;
        else if (opcode == isa_pkg::OP_HALT) has_halted <= 1'b1;
        else begin
          pc <= jumps ? target : pc + 32'd1;
          is_in_bubble <= jumps;
          if (opcode == isa_pkg::OP_PRELOAD) has_weights <= 1'b1;
          if (row.writes_rd && word[isa_pkg::RD_LSB+:5] != '0) registers[word[isa_pkg::RD_LSB+:5]] <= result;
        end
      end
    end
  end

  // ---- class of the cycle
  always_comb begin
    if (dispatches) cycle_class = isa_pkg::SEQ_DISPATCH;
    else if (has_ended || !is_before_bound) cycle_class = isa_pkg::SEQ_ENDED;
    else if (is_in_bubble) cycle_class = isa_pkg::SEQ_BRANCH;
    else if (waits_at_fence) cycle_class = isa_pkg::SEQ_FENCE;
    else cycle_class = isa_pkg::SEQ_QUEUE_LOAD + 4'(row.unit);
  end
endmodule
