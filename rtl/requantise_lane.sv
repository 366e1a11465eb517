// One lane of requantise, bit-exact with IEEE binary32 in round half to even:
// clamp(rint(f32(acc + bias) * scale) + zero_point, low, high). A row a cycle; the result comes 5 cycles after acc.
//
// Results below 1 round to an integer the same whether binary32 has subnormals or not, so neither an underflow nor
// a subnormal scale needs more than its magnitude: the product of a 32-bit sum and a scale below 2^-126 rounds to 0.
module requantise_lane (
    input  logic               clk,
    input  logic [31:0]        acc,
    input  logic [31:0]        bias,
    input  logic [31:0]        scale,       // binary32
    input  logic signed [9:0]  zero_point,
    input  logic signed [9:0]  low,
    input  logic signed [9:0]  high,
    output logic [7:0]         result
);
  // ---- 1: add the bias, modulo 2^32
  logic [31:0] sum_1;
  always_ff @(posedge clk) sum_1 <= acc + bias;

  // ---- 2: to binary32: sign, 24-bit significand with its top bit set (or 0), exponent of its lowest bit
  logic [31:0] magnitude, normal;
  logic [4:0] zeros;
  logic [24:0] rounded;
  logic sign_2;
  logic [23:0] significand_2;
  logic signed [9:0] exponent_2;

  always_comb begin
    magnitude = sum_1[31] ? -sum_1 : sum_1;
    zeros = '0;
    for (int i = 0; i < 32; i++) if (magnitude[i]) zeros = 5'(31 - i);
    normal = magnitude << zeros;
    rounded = {1'b0, normal[31:8]} + 25'(normal[7] && (normal[8] || normal[6:0] != '0));
  end
  always_ff @(posedge clk) begin
    sign_2 <= sum_1[31];
    significand_2 <= rounded[24] ? 24'h800000 : rounded[23:0];
    exponent_2 <= 10'sd8 - 10'(zeros) + 10'(rounded[24]);
  end

  // ---- 3: multiply the significands
  logic sign_3, is_zero_3, is_infinite_3;
  logic [47:0] product_3;
  logic signed [9:0] exponent_3;
  logic is_special;  // infinity or NaN
  assign is_special = scale[30:23] == 8'hff;
  always_ff @(posedge clk) begin
    sign_3 <= sign_2 ^ scale[31];
    product_3 <= 48'(significand_2) * 48'({scale[30:23] != '0, scale[22:0]});
    exponent_3 <= exponent_2 + 10'(scale[30:23]) + 10'(scale[30:23] == '0) - 10'sd150;
    is_zero_3 <= significand_2 == '0 || is_special && scale[22:0] != '0;  // 0 x infinity is NaN, and NaN counts as 0
    is_infinite_3 <= is_special;
  end

  // ---- 4: round the product to 24 bits
  logic sign_4, is_zero_4, is_infinite_4;
  logic [24:0] significand_4;
  logic signed [9:0] exponent_4;
  always_ff @(posedge clk) begin
    sign_4 <= sign_3;
    is_zero_4 <= is_zero_3;
    is_infinite_4 <= is_infinite_3;
    if (product_3[47]) begin
      significand_4 <= {1'b0, product_3[47:24]} + 25'(product_3[23] && (product_3[24] || product_3[22:0] != '0));
      exponent_4 <= exponent_3 + 10'sd24;
    end else begin
      significand_4 <= {1'b0, product_3[46:23]} + 25'(product_3[22] && (product_3[23] || product_3[21:0] != '0));
      exponent_4 <= exponent_3 + 10'sd23;
    end
  end

  // ---- 5: round to an integer; magnitudes of 2^10 and more are all the same to the clamp
  logic signed [11:0] integer_5;
  logic [11:0] whole, nearest;
  logic [24:0] fraction;  // the bits that are shifted out, the first of them on top
  logic [4:0] places;
  always_comb begin
    places = 5'(-exponent_4);
    whole = 12'(significand_4 >> places);
    fraction = significand_4 << (5'd25 - places);
    nearest = whole + 12'(fraction[24] && (whole[0] || fraction[23:0] != '0));
    if (is_infinite_4 || exponent_4 > -10'sd14) nearest = 12'd1024;
    if (is_zero_4 || exponent_4 < -10'sd25) nearest = '0;
  end
  always_ff @(posedge clk) integer_5 <= sign_4 ? -nearest : nearest;

  // ---- 6: zero point and clamp
  logic signed [12:0] moved;
  assign moved = 13'(integer_5) + 13'(zero_point);
  assign result = 8'(moved < 13'(low) ? 13'(low) : moved > 13'(high) ? 13'(high) : moved);
endmodule
