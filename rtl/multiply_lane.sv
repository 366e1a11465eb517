// x * scale in binary32, where x is the product of two differences (`multiply.b`) or one difference (`dequantise`). The result
// comes 3 cycles after x's bytes.
module multiply_lane (
    input  logic              clk,
    input  logic              enable,
    input  logic              is_single,   // x is left - left_zero_point
    input  logic signed [8:0] left,
    input  logic signed [8:0] right,
    input  logic signed [8:0] left_zero_point,
    input  logic signed [8:0] right_zero_point,
    input  logic [31:0]       scale,
    output logic [31:0]       result
);
  // ---- 1: the integer
  logic signed [9:0] left_moved, right_moved;
  logic signed [18:0] x, x_1;
  assign left_moved = 10'(left) - 10'(left_zero_point);
  assign right_moved = 10'(right) - 10'(right_zero_point);
  assign x = 19'(left_moved) * (is_single ? 19'sd1 : 19'(right_moved));
  always_ff @(posedge clk) if (enable) x_1 <= x;

  // ---- 2: times the scale
  logic sign_2, is_nan_2, is_infinite_2, is_special;
  logic [39:0] product_2;
  logic [7:0] exponent_2;
  logic [15:0] magnitude_1;
  assign magnitude_1 = x_1[18] ? 16'(-x_1) : 16'(x_1);
  assign is_special = scale[30:23] == 8'hff;
  always_ff @(posedge clk)
    if (enable) begin
      sign_2 <= x_1[18] ^ scale[31];
      product_2 <= 40'(magnitude_1) * 40'({scale[30:23] != '0, scale[22:0]});
      exponent_2 <= scale[30:23] == '0 ? 8'd1 : scale[30:23];
      is_nan_2 <= is_special && (scale[22:0] != '0 || x_1 == '0);
      is_infinite_2 <= is_special;
    end

  // ---- 3: round
  round_to_f32 #(
      .WIDTH(40)
  ) round (
      .clk,
      .enable,
      .sign(sign_2),
      .magnitude(product_2),
      .exponent(10'(exponent_2)),
      .is_nan(is_nan_2),
      .is_infinite(is_infinite_2),
      .result
  );
endmodule
