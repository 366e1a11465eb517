// x / scale in binary32, to nearest even, a bit of the quotient a stage; the result comes LATENCY cycles after x.
// Quotients below 2^-126 become 0: what follows rounds them to that anyway.
module divide_lane (
    input  logic               clk,
    input  logic               enable,
    input  logic [31:0]        x,
    input  logic               scale_sign,
    input  logic [23:0]        scale_significand,  // top bit set
    input  logic signed [9:0]  scale_exponent,
    input  logic               is_scale_zero,
    input  logic               is_scale_infinite,
    input  logic               is_scale_nan,
    output logic [31:0]        result
);
  localparam int BITS = 26;  // of the quotient: 24, or 25 if the first is 0, one to round by, and the remainder says the rest

  typedef struct packed {
    logic                sign;
    logic                is_nan;
    logic                is_infinite;
    logic                is_zero;
    logic signed [10:0]  exponent;
    logic [24:0]         remainder;
    logic [BITS-1:0]     quotient;
  } stage_t;
  stage_t [BITS:0] stages;

  logic [23:0] significand;
  logic signed [9:0] exponent;
  logic is_zero, is_infinite, is_nan;
  normal_f32 normal (
      .value(x),
      .significand,
      .exponent,
      .is_zero,
      .is_infinite,
      .is_nan
  );

  function automatic stage_t next(input stage_t stage, input logic [23:0] divisor);
    logic fits;
    fits = stage.remainder >= 25'(divisor);
    next = stage;
    next.quotient = {stage.quotient[BITS-2:0], fits};
    next.remainder = (fits ? stage.remainder - 25'(divisor) : stage.remainder) << 1;
  endfunction

  always_ff @(posedge clk)
    if (enable) begin
      stages[0].sign <= x[31] ^ scale_sign;
      stages[0].is_nan <= is_nan || is_scale_nan || is_zero && is_scale_zero || is_infinite && is_scale_infinite;
      stages[0].is_infinite <= is_infinite || is_scale_zero;
      stages[0].is_zero <= is_zero || is_scale_infinite;
      stages[0].exponent <= 11'(exponent) - 11'(scale_exponent) + 11'sd126;
      stages[0].remainder <= 25'(significand);
      stages[0].quotient <= '0;
      for (int i = 0; i < BITS; i++) stages[i+1] <= next(stages[i], scale_significand);
    end

  function automatic logic [31:0] rounded(input stage_t stage);
    logic [24:0] normal_quotient;  // without the top bit, which is 1
    logic [23:0] nearest;  // without the top bit, which is 1; a carry leaves 0
    logic signed [10:0] biased;
    normal_quotient = stage.quotient[BITS-1] ? stage.quotient[24:0] : {stage.quotient[23:0], 1'b0};
    nearest = {1'b0, normal_quotient[24:2]}
        + 24'(normal_quotient[1] && (normal_quotient[2] || normal_quotient[0] || stage.remainder != '0));
    biased = stage.exponent + 11'(stage.quotient[BITS-1]) + 11'(nearest[23]);
    if (stage.is_nan) rounded = 32'h7fc00000;
    else if (stage.is_infinite) rounded = {stage.sign, 31'h7f800000};
    else if (stage.is_zero || biased < 11'sd1) rounded = {stage.sign, 31'd0};
    else if (biased > 11'sd254) rounded = {stage.sign, 31'h7f800000};
    else rounded = {stage.sign, 8'(biased), nearest[22:0]};
  endfunction
  always_ff @(posedge clk) if (enable) result <= rounded(stages[BITS]);
endmodule
