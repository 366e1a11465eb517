// Bank ports of one kind that a unit's instructions in flight hold: a counter per bank, from issue to release.
module holds #(
    parameter int BANKS = 1,
    parameter int COUNT_BITS = 8  // of the instructions in flight
) (
    input  logic             clk,
    input  logic             rst,
    input  logic             take,
    input  logic [BANKS-1:0] taken,
    input  logic             release_,
    input  logic [BANKS-1:0] released,
    output logic [BANKS-1:0] is_held
);
  logic [BANKS-1:0][COUNT_BITS-1:0] count;

  always_comb for (int b = 0; b < BANKS; b++) is_held[b] = count[b] != '0;

  always_ff @(posedge clk) begin
    for (int b = 0; b < BANKS; b++)
      count[b] <= rst ? '0 : count[b] + COUNT_BITS'(take && taken[b]) - COUNT_BITS'(release_ && released[b]);
  end
endmodule
