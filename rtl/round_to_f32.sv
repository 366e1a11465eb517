// Rounds magnitude * 2^(exponent - 150) to binary32, to nearest even, one cycle later. `exponent` is at least 1, so that a
// subnormal result is exact. Any NaN is 32'h7fc00000.
module round_to_f32 #(
    parameter int WIDTH = 40
) (
    input  logic             clk,
    input  logic             enable,
    input  logic             sign,
    input  logic [WIDTH-1:0] magnitude,
    input  logic [9:0]       exponent,
    input  logic             is_nan,
    input  logic             is_infinite,
    output logic [31:0]      result
);
  function automatic logic [31:0] rounded(input logic negative, input logic [WIDTH-1:0] bits, input logic [9:0] unit);
    logic [5:0] top;  // place of the highest bit
    logic [WIDTH-1:0] normal;
    logic [24:0] significand;
    logic signed [10:0] biased;
    top = '0;
    for (int i = 0; i < WIDTH; i++) if (bits[i]) top = 6'(i);
    normal = bits << (6'(WIDTH - 1) - top);
    significand = {1'b0, normal[WIDTH-1-:24]}
        + 25'(normal[WIDTH-25] && (normal[WIDTH-24] || normal[WIDTH-26:0] != '0));
    biased = $signed({1'b0, unit}) + $signed(11'(top)) - 11'sd23;
    if (bits == '0) rounded = {negative, 31'd0};
    else if (biased < 11'sd1) rounded = {negative, 31'(significand >> (11'sd1 - biased))};
    else if (biased + $signed(11'(significand[24])) >= 11'sd255) rounded = {negative, 31'h7f800000};
    else rounded = {negative, 8'(biased) + 8'(significand[24]), significand[22:0]};  // a carry leaves 0 in the fraction
  endfunction

  always_ff @(posedge clk)
    if (enable) begin
      if (is_nan) result <= 32'h7fc00000;
      else if (is_infinite) result <= {sign, 31'h7f800000};
      else result <= rounded(sign, magnitude, exponent);
    end
endmodule
