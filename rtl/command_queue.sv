// In-order queue of commands. An entry pushed in one cycle can be seen from the next on; a place freed in one cycle can be
// filled from the next on.
module command_queue (
    input  logic                clk,
    input  logic                rst,
    input  logic                push,
    input  types_pkg::command_t pushed,
    output logic                is_full,
    input  logic                pop,
    output logic                is_present,
    output types_pkg::command_t head
);
  localparam int DEPTH = machine_pkg::QUEUE_DEPTH;
  localparam int PLACE_BITS = DEPTH == 1 ? 1 : $clog2(DEPTH);
  localparam int COUNT_BITS = $clog2(DEPTH + 1);

  types_pkg::command_t entries[DEPTH];
  logic [PLACE_BITS-1:0] first, free;
  logic [COUNT_BITS-1:0] count;

  assign is_full = count == COUNT_BITS'(DEPTH);
  assign is_present = count != '0;
  assign head = entries[first];

  always_ff @(posedge clk) begin
    if (push) entries[free] <= pushed;
    if (rst) begin
      first <= '0;
      free  <= '0;
      count <= '0;
    end else begin
      if (pop) first <= first == PLACE_BITS'(DEPTH - 1) ? '0 : first + 1'b1;
      if (push) free <= free == PLACE_BITS'(DEPTH - 1) ? '0 : free + 1'b1;
      count <= count + COUNT_BITS'(push) - COUNT_BITS'(pop);
    end
  end
endmodule
