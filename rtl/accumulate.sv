// Accumulation of the array's sums: a row's accumulator row is read in one cycle, added and written in the next. A row that
// is written at the edge of its own read is forwarded.
module accumulate (
    input  logic                                  clk,
    input  logic                                  rst,
    input  logic                                  has_row,        // a row's sums come in the next cycle
    input  logic [machine_pkg::ACC_ROW_BITS-1:0]  row,
    input  logic                                  is_accumulate,  // else overwrite
    input  logic [machine_pkg::COLUMNS-1:0][31:0] sums,
    output logic                                  acc_r_en,
    output logic [machine_pkg::ACC_ROW_BITS-1:0]  acc_r_row,
    input  logic [32*machine_pkg::COLUMNS-1:0]    acc_r_data,
    output logic                                  acc_w_en,
    output logic [machine_pkg::ACC_ROW_BITS-1:0]  acc_w_row,
    output logic [32*machine_pkg::COLUMNS-1:0]    acc_w_data
);
  logic adds, forwards;
  logic [32*machine_pkg::COLUMNS-1:0] previous;  // written in the cycle before

  assign acc_r_en = has_row && is_accumulate;
  assign acc_r_row = row;

  always_comb
    for (int i = 0; i < machine_pkg::COLUMNS; i++)
      acc_w_data[32*i+:32] = sums[i] + (!adds ? '0 : forwards ? previous[32*i+:32] : acc_r_data[32*i+:32]);

  always_ff @(posedge clk) begin
    adds <= is_accumulate;
    forwards <= acc_w_en && acc_w_row == row;
    acc_w_en <= !rst && has_row;
    acc_w_row <= row;
    previous <= acc_w_data;
  end
endmodule
