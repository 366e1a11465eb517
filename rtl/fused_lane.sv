// x * scale + addend in binary32 with one rounding, to nearest even; the result comes 3 cycles later.
module fused_lane (
    input  logic              clk,
    input  logic              enable,
    input  logic signed [8:0] x,
    input  logic [31:0]       scale,
    input  logic [31:0]       addend,
    output logic [31:0]       result
);
  // ---- 1: multiply. Values are significand * 2^(exponent - 150).
  logic product_sign, addend_sign, is_nan_1, is_infinite_1, infinite_sign_1;
  logic [31:0] product;
  logic [23:0] addend_1;
  logic [7:0] product_exponent, addend_exponent;
  logic [7:0] magnitude;
  assign magnitude = x[8] ? 8'(-x) : 8'(x);
  logic is_scale_special, is_addend_special, is_scale_infinite, is_addend_infinite;
  assign is_scale_special = scale[30:23] == 8'hff;
  assign is_addend_special = addend[30:23] == 8'hff;
  assign is_scale_infinite = is_scale_special && scale[22:0] == '0;
  assign is_addend_infinite = is_addend_special && addend[22:0] == '0;

  always_ff @(posedge clk)
    if (enable) begin
      product_sign <= x[8] ^ scale[31];
      product <= 32'(magnitude) * 32'({scale[30:23] != '0, scale[22:0]});
      product_exponent <= scale[30:23] == '0 ? 8'd1 : scale[30:23];
      addend_sign <= addend[31];
      addend_1 <= {addend[30:23] != '0, addend[22:0]};
      addend_exponent <= addend[30:23] == '0 ? 8'd1 : addend[30:23];
      is_nan_1 <= is_scale_special && (scale[22:0] != '0 || x == '0) || is_addend_special && addend[22:0] != '0
          || is_scale_infinite && is_addend_infinite && (x[8] ^ scale[31]) != addend[31];
      is_infinite_1 <= is_scale_infinite || is_addend_infinite;
      infinite_sign_1 <= is_addend_infinite ? addend[31] : x[8] ^ scale[31];
    end

  // ---- 2: align and add. The one with the larger exponent moves up by as much as there is room for, the other moves down by
  // the rest; what it loses is kept as a set lowest bit, far below where the sum is rounded.
  localparam logic signed [9:0] PRODUCT_ROOM = 10'sd27;
  localparam logic signed [9:0] ADDEND_ROOM = 10'sd36;
  function automatic logic [59:0] shifted_down(input logic [31:0] bits, input logic [8:0] places);
    logic [31:0] kept;
    kept = places > 9'd31 ? '0 : bits >> places[4:0];
    shifted_down = 60'(kept) | 60'(places > 9'd31 ? bits != '0 : (kept << places[4:0]) != bits);
  endfunction
  function automatic logic [70:0] added(
      input logic product_negative, input logic [31:0] product_value, input logic [7:0] product_unit,
      input logic addend_negative, input logic [23:0] addend_value, input logic [7:0] addend_unit);
    logic signed [9:0] distance;
    logic [8:0] up, down;
    logic [59:0] product_term, addend_term;
    logic signed [61:0] total;
    logic [8:0] unit;
    // A product of 0 has no exponent of its own.
    distance = product_value == '0 ? 10'sd0 : $signed(10'(product_unit)) - $signed(10'(addend_unit));
    if (distance >= 10'sd0) begin
      up = distance > PRODUCT_ROOM ? 9'(PRODUCT_ROOM) : 9'(distance);
      down = 9'(distance) - up;
      product_term = 60'(product_value) << up;
      addend_term = shifted_down(32'(addend_value), down);
      unit = 9'(addend_unit) + down;
    end else begin
      up = -distance > ADDEND_ROOM ? 9'(ADDEND_ROOM) : 9'(-distance);
      down = 9'(-distance) - up;
      product_term = shifted_down(product_value, down);
      addend_term = 60'(addend_value) << up;
      unit = 9'(product_unit) + down;
    end
    total = (product_negative ? -$signed({2'b00, product_term}) : $signed({2'b00, product_term}))
        + (addend_negative ? -$signed({2'b00, addend_term}) : $signed({2'b00, addend_term}));
    added = {total[61], unit, total[61] ? 61'(-total) : 61'(total)};
  endfunction

  logic sum_sign_2, infinite_sign_2, is_nan_2, is_infinite_2;
  logic [60:0] magnitude_2;
  logic [8:0] exponent_2;
  always_ff @(posedge clk)
    if (enable) begin
      {sum_sign_2, exponent_2, magnitude_2} <= added(
          product_sign, product, product_exponent, addend_sign, addend_1, addend_exponent);
      infinite_sign_2 <= infinite_sign_1;
      is_nan_2 <= is_nan_1;
      is_infinite_2 <= is_infinite_1;
    end

  // ---- 3: round
  round_to_f32 #(
      .WIDTH(61)
  ) round (
      .clk,
      .enable,
      .sign(is_infinite_2 ? infinite_sign_2 : sum_sign_2),
      .magnitude(magnitude_2),
      .exponent(10'(exponent_2)),
      .is_nan(is_nan_2),
      .is_infinite(is_infinite_2),
      .result
  );
endmodule
