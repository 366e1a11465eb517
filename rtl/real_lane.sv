// One lane of the instructions that compute in binary32. Results come so many cycles after the byte (`add.b`, `multiply.b`: of
// the right operand, the left one's comes a cycle before) or the number: 7 for pairs, 29 for quantise, 3 for dequantise.
module real_lane (
    input  logic               clk,
    input  logic               is_add,
    input  logic               is_multiply,
    input  logic               is_quantise,
    input  logic               is_dequantise,
    input  logic signed [8:0]  value,
    input  logic               is_left,
    input  logic [31:0]        number,
    input  logic signed [8:0]  left_zero_point,  // or that of the only operand
    input  logic signed [8:0]  right_zero_point,
    input  logic [31:0]        scale,            // or that of the left operand
    input  logic [31:0]        right_scale,
    input  logic [31:0]        offset,
    input  logic [23:0]        scale_significand,
    input  logic signed [9:0]  scale_exponent,
    input  logic               is_scale_zero,
    input  logic               is_scale_infinite,
    input  logic               is_scale_nan,
    input  logic signed [9:0]  zero_point,
    input  logic signed [9:0]  low,
    input  logic signed [9:0]  high,
    output logic [31:0]        dequantised,
    output logic [7:0]         result
);
  localparam logic [31:0] ONE = 32'h3f800000;

  // ---- bytes: the left operand waits a cycle for the right one, and in a sum until the right one's part is there
  logic signed [8:0] left;
  logic [1:0][8:0] left_later;
  always_ff @(posedge clk)
    if (is_add || is_multiply) begin
      if (is_left) left <= value;
      left_later <= {left_later[0], left};
    end

  multiply_lane multiply (
      .clk,
      .enable(is_multiply || is_dequantise),
      .is_single(is_dequantise),
      .left(is_dequantise ? value : left),
      .right(value),
      .left_zero_point,
      .right_zero_point,
      .scale,
      .result(dequantised)
  );

  // ---- sums: right * right_scale + offset, then left * scale + that; of a product 1 * zero point + product
  logic [31:0] right_part, sum, quotient;
  fused_lane right_sum (
      .clk,
      .enable(is_add),
      .x(value),
      .scale(right_scale),
      .addend(offset),
      .result(right_part)
  );
  fused_lane last_sum (
      .clk,
      .enable(is_add || is_multiply),
      .x(is_multiply ? 9'(zero_point) : $signed(left_later[1])),
      .scale(is_multiply ? ONE : scale),
      .addend(is_multiply ? dequantised : right_part),
      .result(sum)
  );

  divide_lane divide (
      .clk,
      .enable(is_quantise),
      .x(number),
      .scale_sign(scale[31]),
      .scale_significand,
      .scale_exponent,
      .is_scale_zero,
      .is_scale_infinite,
      .is_scale_nan,
      .result(quotient)
  );

  byte_lane to_byte (
      .clk,
      .enable(is_add || is_multiply || is_quantise),
      .value(is_quantise ? quotient : sum),
      .is_nan_low(is_quantise),
      .zero_point(is_quantise ? zero_point : 10'sd0),
      .low,
      .high,
      .result
  );
endmodule
