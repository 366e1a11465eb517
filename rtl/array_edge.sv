// Edge of the array: bytes from the scratchpad to 9-bit values, zero point subtracted. Lanes from `lanes` on are 0.
module array_edge (
    input  logic                               clk,
    input  logic [8*machine_pkg::LANES-1:0]    data,
    input  logic                               is_unsigned,
    input  logic [8:0]                         zero_point,  // signed
    input  logic [8:0]                         lanes,
    output logic [machine_pkg::LANES-1:0][8:0] values       // one cycle later
);
  always_ff @(posedge clk)
    for (int i = 0; i < machine_pkg::LANES; i++)
      values[i] <= 9'(i) < lanes ? {!is_unsigned && data[8*i+7], data[8*i+:8]} - zero_point : '0;
endmodule
