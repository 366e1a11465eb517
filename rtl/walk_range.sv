// Lowest and highest row (DRAM: byte) that one access of an instruction touches, exactly: base and counts are unsigned,
// steps signed, and nothing overflows 64 bits.
module walk_range (
    input  isa_pkg::access_t                access,
    input  logic [isa_pkg::FLAGS-1:0]       flags,
    input  logic [isa_pkg::SLOTS-1:0][31:0] operand,
    input  logic [31:0]                     bytes,       // of a DRAM row
    input  logic [31:0]                     dram_bytes,
    input  logic [31:0]                     taps,        // of a window
    output logic                            takes_place,
    output logic signed [63:0]              lowest,
    output logic signed [63:0]              highest,
    output logic                            is_outside
);
  logic [31:0] count, steps, width;
  logic signed [63:0] step, reach, size;

  assign takes_place = access.is_used && (flags & access.flag_mask) == access.flag_value;
  assign is_outside = takes_place && (lowest < 0 || highest >= size);

  always_comb begin
    // Column blocks are on-chip rows wide.
    width = access.memory == isa_pkg::MEMORY_ACCUMULATOR ? 4 * machine_pkg::COLUMNS : machine_pkg::LANES;
    lowest = 64'(operand[access.base[isa_pkg::SLOT_SELECT_BITS-1:0]]);
    highest = lowest;
    for (int i = 0; i < isa_pkg::LEVELS; i++) begin
      case (access.levels[i].count)
        isa_pkg::SELECT_NONE: count = 32'd1;
        isa_pkg::SELECT_BLOCKS: count = (bytes + width - 32'd1) / width;
        isa_pkg::SELECT_PARAMETERS: count = machine_pkg::PARAMETER_ROWS;
        isa_pkg::SELECT_TABLE: count = machine_pkg::TABLE_ROWS;
        isa_pkg::SELECT_TAPS: count = taps;
        default: count = operand[access.levels[i].count[isa_pkg::SLOT_SELECT_BITS-1:0]];
      endcase
      case (access.levels[i].step)
        isa_pkg::SELECT_NONE, isa_pkg::SELECT_ONE: step = 64'sd1;
        default: step = 64'($signed(operand[access.levels[i].step[isa_pkg::SLOT_SELECT_BITS-1:0]]));
      endcase
      steps = count - 32'd1;
      reach = $signed(64'(steps)) * step;
      if (reach < 0) lowest = lowest + reach;
      else highest = highest + reach;
    end
    case (access.memory)
      isa_pkg::MEMORY_SCRATCHPAD: size = 64'(machine_pkg::SP_ROWS);
      isa_pkg::MEMORY_ACCUMULATOR: size = 64'(machine_pkg::ACC_ROWS);
      default: begin
        size = 64'(dram_bytes);
        highest = highest + 64'(bytes) - 64'sd1;
      end
    endcase
  end
endmodule
