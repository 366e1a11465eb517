// Token channels: a counter each, from one completing port to one waiting unit. A post of one cycle can be taken from the
// next on. 32 bits can't overflow: a port posts once a cycle at most, and runs are shorter than 2^32 cycles.
module tokens (
    input  logic                         clk,
    input  logic                         rst,
    input  logic [isa_pkg::CHANNELS-1:0] post,
    input  logic [isa_pkg::CHANNELS-1:0] take,
    output logic [isa_pkg::CHANNELS-1:0] is_available
);
  logic [isa_pkg::CHANNELS-1:0][31:0] count;

  always_comb for (int i = 0; i < isa_pkg::CHANNELS; i++) is_available[i] = count[i] != '0;

  always_ff @(posedge clk) begin
    for (int i = 0; i < isa_pkg::CHANNELS; i++)
      count[i] <= rst ? '0 : count[i] + 32'(post[i]) - 32'(take[i]);
  end
endmodule
