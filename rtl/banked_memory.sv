// Scratchpad or accumulator: banks of SRAM. Nothing arbitrates: bank_ports ends the run before two users meet on a port
// of a bank, so each bank takes the one request that is for it.
module banked_memory #(
    parameter int BANKS = 1,
    parameter int BANK_ROWS = 2,
    parameter int ROW_BITS = 1,
    parameter int WIDTH = 8,
    parameter int GRAIN = 8,
    parameter int READERS = 1,
    parameter int WRITERS = 1
) (
    input  logic                                clk,
    input  logic [READERS-1:0]                  r_en,
    input  logic [READERS-1:0][ROW_BITS-1:0]    r_row,
    output logic [READERS-1:0][WIDTH-1:0]       r_data,   // one cycle after r_en
    input  logic [WRITERS-1:0][WIDTH/GRAIN-1:0] w_strobe,
    input  logic [WRITERS-1:0][ROW_BITS-1:0]    w_row,
    input  logic [WRITERS-1:0][WIDTH-1:0]       w_data
);
  localparam int BANK_BITS = BANKS == 1 ? 1 : $clog2(BANKS);
  localparam int ADDRESS_BITS = BANK_ROWS == 1 ? 1 : $clog2(BANK_ROWS);
  localparam logic [31:0] SIZE = BANK_ROWS;  // divisions by it are bit slices if it is a power of two

  logic [BANKS-1:0][WIDTH-1:0]       bank_data;
  logic [READERS-1:0][BANK_BITS-1:0] r_bank;
  logic [READERS-1:0][BANK_BITS-1:0] r_bank_q;  // of the data that r_data shows
  logic [WRITERS-1:0][BANK_BITS-1:0] w_bank;

  always_comb begin
    for (int i = 0; i < READERS; i++) r_bank[i] = BANK_BITS'(32'(r_row[i]) / SIZE);
    for (int i = 0; i < WRITERS; i++) w_bank[i] = BANK_BITS'(32'(w_row[i]) / SIZE);
    for (int i = 0; i < READERS; i++) r_data[i] = bank_data[r_bank_q[i]];
  end
  always_ff @(posedge clk) r_bank_q <= r_bank;

  for (genvar b = 0; b < BANKS; b++) begin : g_bank
    logic                    r_bank_en;
    logic [ADDRESS_BITS-1:0] r_address;
    logic [WIDTH/GRAIN-1:0]  strobe;
    logic [ADDRESS_BITS-1:0] w_address;
    logic [WIDTH-1:0]        data;

    always_comb begin
      r_bank_en = 1'b0;
      r_address = '0;
      for (int i = 0; i < READERS; i++)
        if (r_en[i] && r_bank[i] == BANK_BITS'(b)) begin
          r_bank_en = 1'b1;
          r_address = ADDRESS_BITS'(32'(r_row[i]) % SIZE);
        end
      strobe = '0;
      w_address = '0;
      data = '0;
      for (int i = 0; i < WRITERS; i++)
        if (w_strobe[i] != '0 && w_bank[i] == BANK_BITS'(b)) begin
          strobe = w_strobe[i];
          w_address = ADDRESS_BITS'(32'(w_row[i]) % SIZE);
          data = w_data[i];
        end
    end

    sram #(
        .WIDTH(WIDTH),
        .GRAIN(GRAIN),
        .DEPTH(BANK_ROWS),
        .ADDRESS_BITS(ADDRESS_BITS)
    ) bank (
        .clk,
        .r_en(r_bank_en),
        .r_address,
        .r_data(bank_data[b]),
        .w_strobe(strobe),
        .w_address,
        .w_data(data)
    );
  end
endmodule
