// Takes a binary32 number apart: its significand with the top bit set, whatever its exponent, which may be below 1 then.
// The number is significand * 2^(exponent - 150).
module normal_f32 (
    input  logic [31:0]        value,
    output logic [23:0]        significand,
    output logic signed [9:0]  exponent,
    output logic               is_zero,
    output logic               is_infinite,
    output logic               is_nan
);
  logic [4:0] zeros;
  always_comb begin
    zeros = '0;
    for (int i = 0; i < 23; i++) if (value[i]) zeros = 5'(23 - i);
    if (value[30:23] != '0) zeros = '0;
    significand = {value[30:23] != '0, value[22:0]} << zeros;
    exponent = $signed(10'(value[30:23] == '0 ? 8'd1 : value[30:23])) - $signed(10'(zeros));
    is_zero = value[30:0] == '0;
    is_infinite = value[30:23] == 8'hff && value[22:0] == '0;
    is_nan = value[30:23] == 8'hff && value[22:0] != '0;
  end
endmodule
