// A binary32 number to a byte: clamp(rint(value) + zero_point, low, high), to nearest even. The byte comes one cycle later.
module byte_lane (
    input  logic               clk,
    input  logic               enable,
    input  logic [31:0]        value,
    input  logic               is_nan_low,   // a NaN becomes `low`, else it counts as 0
    input  logic signed [9:0]  zero_point,
    input  logic signed [9:0]  low,
    input  logic signed [9:0]  high,
    output logic [7:0]         result
);
  // Magnitudes of 2^10 and more are all the same to the clamp, those below one half are 0.
  function automatic logic signed [11:0] nearest_integer(input logic [31:0] bits);
    logic [4:0] places;
    logic [11:0] whole;
    logic [24:0] fraction;  // the bits that are shifted out, the first of them on top
    places = 5'(8'd150 - bits[30:23]);
    whole = 12'({1'b1, bits[22:0]} >> places);
    fraction = {2'b01, bits[22:0]} << (5'd25 - places);
    whole = whole + 12'(fraction[24] && (whole[0] || fraction[23:0] != '0));
    if (bits[30:23] > 8'd136) whole = 12'd1024;
    if (bits[30:23] < 8'd126) whole = '0;
    nearest_integer = bits[31] ? -whole : whole;
  endfunction

  logic signed [11:0] integer_q;
  logic is_nan, is_nan_q;
  assign is_nan = value[30:23] == 8'hff && value[22:0] != '0;
  always_ff @(posedge clk)
    if (enable) begin
      integer_q <= is_nan ? '0 : nearest_integer(value);
      is_nan_q <= is_nan;
    end

  logic signed [12:0] moved;
  assign moved = 13'(integer_q) + 13'(zero_point);
  assign result = is_nan_q && is_nan_low || moved < 13'(low) ? 8'(low) : moved > 13'(high) ? 8'(high) : 8'(moved);
endmodule
