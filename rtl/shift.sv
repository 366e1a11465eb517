// Delay of CYCLES (0 is a wire) by a chain of registers.
module shift #(
    parameter int WIDTH  = 1,
    parameter int CYCLES = 1
) (
    input  logic             clk,
    input  logic [WIDTH-1:0] d,
    output logic [WIDTH-1:0] q
);
  if (CYCLES == 0) begin : g_wire
    assign q = d;
  end else begin : g_registers
    logic [CYCLES-1:0][WIDTH-1:0] stages;
    always_ff @(posedge clk) begin
      stages[0] <= d;
      for (int i = 1; i < CYCLES; i++) stages[i] <= stages[i-1];
    end
    assign q = stages[CYCLES-1];
  end
endmodule
