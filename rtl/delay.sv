// Delay of CYCLES (at least 1) of a valid bit and its data. Data stand in a memory that is walked in a circle, so that
// long latencies cost RAM, not registers; only the valid bits are reset.
module delay #(
    parameter int WIDTH  = 1,
    parameter int CYCLES = 1
) (
    input  logic             clk,
    input  logic             rst,
    input  logic             valid_in,
    input  logic [WIDTH-1:0] data_in,
    output logic             valid_out,
    output logic [WIDTH-1:0] data_out
);
  logic [CYCLES-1:0] valid;
  assign valid_out = valid[CYCLES-1];
  always_ff @(posedge clk) valid <= rst ? '0 : CYCLES'({valid, valid_in});

  if (CYCLES == 1) begin : g_register
    always_ff @(posedge clk) data_out <= data_in;
  end else begin : g_ring
    // A word written at one edge is read CYCLES - 1 edges later, just before it is overwritten.
    localparam int DEPTH = CYCLES - 1;
    localparam int PLACE_BITS = DEPTH == 1 ? 1 : $clog2(DEPTH);
    logic [WIDTH-1:0] mem[DEPTH];
    logic [PLACE_BITS-1:0] place;
    always_ff @(posedge clk) begin
      place <= rst || place == PLACE_BITS'(DEPTH - 1) ? '0 : place + 1'b1;
      data_out <= mem[place];
      mem[place] <= data_in;
    end
  end
endmodule
