// One lane of depthwise, average and maximum: reduces the taps of a window, one a cycle. The sum is there one cycle after a tap.
module window_lane (
    input  logic               clk,
    input  logic               enable,      // a tap is there
    input  logic               is_first,    // of its window
    input  logic               is_maximum,  // keep the largest, else add products
    input  logic signed [8:0]  value,
    input  logic signed [8:0]  zero_point,  // 0 for average and maximum
    input  logic signed [8:0]  weight,      // 1 for average and maximum
    output logic signed [31:0] sum
);
  logic signed [9:0] moved;
  logic signed [31:0] term;
  assign moved = 10'(value) - 10'(zero_point);
  assign term = 32'(moved) * 32'(weight);

  always_ff @(posedge clk)
    if (enable) begin
      if (is_first) sum <= term;
      else if (is_maximum) sum <= term > sum ? term : sum;
      else sum <= sum + term;
    end
endmodule
