// Ordinary SRAM: one read port, one write port with a strobe per GRAIN bits. A read of a clock edge sees what stood there
// before the write of that edge.
module sram #(
    parameter int WIDTH = 8,
    parameter int GRAIN = 8,
    parameter int DEPTH = 2,
    parameter int ADDRESS_BITS = 1
) (
    input  logic                    clk,
    input  logic                    r_en,
    input  logic [ADDRESS_BITS-1:0] r_address,
    output logic [WIDTH-1:0]        r_data,
    input  logic [WIDTH/GRAIN-1:0]  w_strobe,
    input  logic [ADDRESS_BITS-1:0] w_address,
    input  logic [WIDTH-1:0]        w_data
);
  logic [WIDTH-1:0] mem[DEPTH];

  always_ff @(posedge clk) begin
    if (r_en) r_data <= mem[r_address];
    for (int i = 0; i < WIDTH / GRAIN; i++) if (w_strobe[i]) mem[w_address][i*GRAIN+:GRAIN] <= w_data[i*GRAIN+:GRAIN];
  end
endmodule
