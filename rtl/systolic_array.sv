// The array of PEs under one diagonal wavefront: what enters in a cycle reaches PE(r, c) r + c cycles later, streamed rows,
// weights and controls alike. So a row may enter in the cycle after the weights that it needs.
//
// Weights: lane i of a preloaded row is delayed by i cycles and broadcast to column i, or, transposed, to row i; PE(r, c)
// takes what it sees r + c cycles after the preload's first row, which is its own weight. (A large array would register the
// broadcast lines; they are one cycle here.)
module systolic_array (
    input  logic                                 clk,
    input  logic [machine_pkg::ROWS-1:0][8:0]    x,                // streamed row, zero point subtracted
    input  logic                                 run_buffer,       // weight buffer that it goes through
    input  logic [machine_pkg::LANES-1:0][8:0]   weights,          // preloaded row
    input  logic                                 load,             // it is the first of its preload
    input  logic                                 load_buffer,
    input  logic                                 load_transposed,
    output logic [machine_pkg::COLUMNS-1:0][31:0] sums             // ROWS + COLUMNS - 1 cycles after x
);
  localparam int ROWS = machine_pkg::ROWS;
  localparam int COLUMNS = machine_pkg::COLUMNS;
  localparam int DIAGONALS = ROWS + COLUMNS - 1;

  // Controls of each diagonal, a cycle later from one to the next.
  logic [DIAGONALS-1:0] run_buffer_at, load_at, load_buffer_at, load_transposed_at;
  logic [DIAGONALS-2:0] run_buffer_q, load_q, load_buffer_q, load_transposed_q;
  assign run_buffer_at = {run_buffer_q, run_buffer};
  assign load_at = {load_q, load};
  assign load_buffer_at = {load_buffer_q, load_buffer};
  assign load_transposed_at = {load_transposed_q, load_transposed};
  always_ff @(posedge clk) begin
    run_buffer_q <= run_buffer_at[DIAGONALS-2:0];
    load_q <= load_at[DIAGONALS-2:0];
    load_buffer_q <= load_buffer_at[DIAGONALS-2:0];
    load_transposed_q <= load_transposed_at[DIAGONALS-2:0];
  end

  logic [machine_pkg::LANES-1:0][8:0] weight;  // lane i delayed by i cycles
  for (genvar i = 0; i < machine_pkg::LANES; i++) begin : g_weight
    shift #(
        .WIDTH (9),
        .CYCLES(i)
    ) skew (
        .clk,
        .d(weights[i]),
        .q(weight[i])
    );
  end

  logic [ROWS-1:0][COLUMNS:0][8:0] x_at;     // into PE(r, c); the last column's output leads nowhere
  logic [ROWS:0][COLUMNS-1:0][31:0] sum_at;  // into PE(r, c); row ROWS holds the results
  assign sum_at[0] = '0;

  for (genvar r = 0; r < ROWS; r++) begin : g_row
    shift #(
        .WIDTH (9),
        .CYCLES(r)
    ) skew (
        .clk,
        .d(x[r]),
        .q(x_at[r][0])
    );
    for (genvar c = 0; c < COLUMNS; c++) begin : g_column
      pe pe (
          .clk,
          .load(load_at[r+c]),
          .load_buffer(load_buffer_at[r+c]),
          .weight(load_transposed_at[r+c] ? weight[r] : weight[c]),
          .run_buffer(run_buffer_at[r+c]),
          .x_in(x_at[r][c]),
          .x_out(x_at[r][c+1]),
          .sum_in(sum_at[r][c]),
          .sum_out(sum_at[r+1][c])
      );
    end
  end

  for (genvar c = 0; c < COLUMNS; c++) begin : g_sum
    shift #(
        .WIDTH (32),
        .CYCLES(COLUMNS - 1 - c)
    ) deskew (
        .clk,
        .d(sum_at[ROWS][c]),
        .q(sums[c])
    );
  end
endmodule
