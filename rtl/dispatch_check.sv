// Checks of a tensor instruction at dispatch, from its row of the table: the first dispatch fault, and the bank ports it will
// use. One long combinational path, multipliers included; a fast clock would pipeline it in front of the queues.
module dispatch_check (
    input  isa_pkg::row_t                   row,
    input  logic [7:0]                      opcode,
    input  logic [isa_pkg::FLAGS-1:0]       flags,
    input  logic [isa_pkg::SLOTS-1:0][31:0] operand,
    input  logic                            has_weights,  // a preload has dispatched
    input  logic [31:0]                     dram_bytes,
    output logic [5:0]                      fault,        // FAULT_NONE if there is none
    output types_pkg::banks_t               banks,
    output logic [machine_pkg::SP_BANKS-1:0] sp_streamed  // of banks.sp_read: read after the preface too
);
  logic bad_count, bad_value, bad_shape, bad_alignment;
  logic signed [31:0] value, low, high;

  always_comb begin
    bad_count = 1'b0;
    bad_value = 1'b0;
    bad_alignment = 1'b0;
    for (int i = 0; i < isa_pkg::SLOTS; i++) begin
      value = operand[i];
      low = -32'sd128;
      high = 32'sd255;
      if (row.is_zero_point[i]) begin
        if ((flags & row.unsigned_mask[i]) != '0) low = 32'sd0;
        else high = 32'sd127;
      end
      if (row.is_count[i] && (operand[i] == '0 || operand[i] > isa_pkg::MAX_COUNT)) bad_count = 1'b1;
      if ((row.is_byte[i] || row.is_zero_point[i]) && (value < low || value > high)) bad_value = 1'b1;
      if (row.is_aligned[i] && operand[i][1:0] != '0) bad_alignment = 1'b1;
    end
    low = operand[row.low[isa_pkg::SLOT_SELECT_BITS-1:0]];
    high = operand[row.high[isa_pkg::SLOT_SELECT_BITS-1:0]];
    if (row.low != isa_pkg::SELECT_NONE && low > high) bad_value = 1'b1;
  end

  // ---- limits; counts are below 2^16 here, so their product does not overflow
  logic [31:0] taps, count, most;
  assign taps = operand[isa_pkg::SLOT_DEPTHWISE_LINES] * operand[isa_pkg::SLOT_DEPTHWISE_COLUMNS];
  always_comb begin
    bad_shape = 1'b0;
    for (int i = 0; i < isa_pkg::LIMITS; i++) begin
      count = row.limits[i].count == isa_pkg::SELECT_TAPS ? taps : operand[row.limits[i].count[isa_pkg::SLOT_SELECT_BITS-1:0]];
      case (row.limits[i].most)
        isa_pkg::MOST_ROWS: most = machine_pkg::ROWS;
        isa_pkg::MOST_COLUMNS: most = machine_pkg::COLUMNS;
        default: most = 32'(row.limits[i].most);
      endcase
      if (row.limits[i].count != isa_pkg::SELECT_NONE && count > most) bad_shape = 1'b1;
    end
  end

  // ---- walks
  logic [isa_pkg::ACCESSES-1:0] takes_place, is_outside;
  logic [isa_pkg::ACCESSES-1:0][63:0] lowest, highest;
  logic [31:0] bytes;
  assign bytes = row.bytes == isa_pkg::SELECT_NONE ? 32'd1 : operand[row.bytes[isa_pkg::SLOT_SELECT_BITS-1:0]];

  for (genvar i = 0; i < isa_pkg::ACCESSES; i++) begin : g_access
    walk_range range (
        .access(row.accesses[i]),
        .flags,
        .operand,
        .bytes,
        .dram_bytes,
        .taps,
        .takes_place(takes_place[i]),
        .lowest(lowest[i]),
        .highest(highest[i]),
        .is_outside(is_outside[i])
    );
  end

  // Whether a walk touches bank b of banks of `rows` rows (all between its lowest and highest row count).
  function automatic logic touches(input logic [63:0] first, input logic [63:0] last, input longint b, input longint rows);
    touches = $signed(first) < (b + 64'sd1) * rows && $signed(last) >= b * rows;
  endfunction

  logic [2:0] outside;  // by memory
  always_comb begin
    outside = '0;
    banks = '0;
    sp_streamed = '0;
    for (int i = 0; i < isa_pkg::ACCESSES; i++) begin
      if (is_outside[i]) outside[row.accesses[i].memory] = 1'b1;
      if (takes_place[i] && row.accesses[i].memory == isa_pkg::MEMORY_SCRATCHPAD)
        for (int b = 0; b < machine_pkg::SP_BANKS; b++)
          if (touches(lowest[i], highest[i], longint'(b), longint'(machine_pkg::SP_BANK_ROWS))) begin
            if (row.accesses[i].is_write) banks.sp_write[b] = 1'b1;
            else banks.sp_read[b] = 1'b1;
            if (!row.accesses[i].is_write && !row.accesses[i].is_preface) sp_streamed[b] = 1'b1;
          end
      if (takes_place[i] && row.accesses[i].memory == isa_pkg::MEMORY_ACCUMULATOR)
        for (int b = 0; b < machine_pkg::ACC_BANKS; b++)
          if (touches(lowest[i], highest[i], longint'(b), longint'(machine_pkg::ACC_BANK_ROWS))) begin
            if (row.accesses[i].is_write) banks.acc_write[b] = 1'b1;
            else banks.acc_read[b] = 1'b1;
          end
    end
  end

  always_comb begin
    if (bad_count) fault = isa_pkg::FAULT_COUNT;
    else if (bad_value) fault = isa_pkg::FAULT_VALUE;
    else if (bad_shape) fault = isa_pkg::FAULT_SHAPE;
    else if (opcode == isa_pkg::OP_RUN && !has_weights) fault = isa_pkg::FAULT_NO_WEIGHTS;
    else if (bad_alignment) fault = isa_pkg::FAULT_ALIGNMENT;
    else if (outside[isa_pkg::MEMORY_SCRATCHPAD]) fault = isa_pkg::FAULT_SCRATCHPAD_RANGE;
    else if (outside[isa_pkg::MEMORY_ACCUMULATOR]) fault = isa_pkg::FAULT_ACCUMULATOR_RANGE;
    else if (outside[isa_pkg::MEMORY_DRAM]) fault = isa_pkg::FAULT_DRAM_RANGE;
    else fault = isa_pkg::FAULT_NONE;
  end
endmodule
