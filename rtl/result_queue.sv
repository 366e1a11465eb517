// Delay of results by as many cycles as the pipeline of their instruction has stages, at least 2 and at most DEPTH.
module result_queue #(
    parameter int WIDTH = 1,
    parameter int DEPTH = 2
) (
    input  logic                       clk,
    input  logic                       rst,
    input  logic [$clog2(DEPTH+1)-1:0] stages,
    input  logic                       valid_in,
    input  logic [WIDTH-1:0]           data_in,
    output logic                       valid_out,
    output logic [WIDTH-1:0]           data_out
);
  logic [DEPTH-1:0] valid;  // a result is so many cycles, less one, from its write
  logic [DEPTH-1:0][WIDTH-1:0] data;
  assign valid_out = valid[0];
  assign data_out = data[0];

  always_ff @(posedge clk)
    for (int i = 0; i < DEPTH; i++) begin
      if (valid_in && 32'(stages) == i + 1) begin
        valid[i] <= !rst;
        data[i] <= data_in;
      end else begin
        valid[i] <= !rst && i + 1 < DEPTH && valid[(i+1)%DEPTH];
        data[i] <= data[(i+1)%DEPTH];
      end
    end
endmodule
