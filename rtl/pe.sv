// Processing element: one multiply-accumulate. Weights stand still, streamed values move right, sums move down.
// Two weight buffers, so that the next weights load while a run streams.
module pe (
    input  logic               clk,
    input  logic               load,         // take `weight` into buffer load_buffer
    input  logic               load_buffer,
    input  logic signed [8:0]  weight,
    input  logic               run_buffer,   // the buffer that the streamed value is multiplied with
    input  logic signed [8:0]  x_in,
    output logic signed [8:0]  x_out,
    input  logic signed [31:0] sum_in,
    output logic signed [31:0] sum_out
);
  logic signed [8:0] weight_0, weight_1, used;

  assign used = run_buffer ? weight_1 : weight_0;

  always_ff @(posedge clk) begin
    if (load && !load_buffer) weight_0 <= weight;
    if (load && load_buffer) weight_1 <= weight;
    x_out   <= x_in;
    sum_out <= sum_in + 32'(x_in) * 32'(used);
  end
endmodule
