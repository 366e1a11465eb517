// Walk over planes x rows with two row addresses (source and destination), one row a cycle from the cycle of `start` on.
module row_walk #(
    parameter int A_BITS = 1,
    parameter int B_BITS = 1
) (
    input  logic              clk,
    input  logic              rst,
    input  logic              start,
    input  logic              step,       // go on to the next row; the first is there with `start`
    input  logic [15:0]       rows,
    input  logic [15:0]       planes,
    input  logic [A_BITS-1:0] a_first,
    input  logic [A_BITS-1:0] a_step,
    input  logic [A_BITS-1:0] a_plane_step,
    input  logic [B_BITS-1:0] b_first,
    input  logic [B_BITS-1:0] b_step,
    input  logic [B_BITS-1:0] b_plane_step,
    output logic              is_busy,    // a walk that started in an earlier cycle has rows left
    output logic              is_last,
    output logic [A_BITS-1:0] a,
    output logic [B_BITS-1:0] b
);
  typedef struct packed {
    logic [15:0]       rows;
    logic [A_BITS-1:0] a_step;
    logic [A_BITS-1:0] a_plane_step;
    logic [B_BITS-1:0] b_step;
    logic [B_BITS-1:0] b_plane_step;
    logic [15:0]       rows_left;
    logic [15:0]       planes_left;
    logic [A_BITS-1:0] a_plane;
    logic [B_BITS-1:0] b_plane;
    logic [A_BITS-1:0] a;
    logic [B_BITS-1:0] b;
  } state_t;
  state_t state, now, following;

  always_comb begin
    now = state;
    if (start) now = {rows, a_step, a_plane_step, b_step, b_plane_step, rows, planes, a_first, b_first, a_first, b_first};
    following = now;
    if (now.rows_left != 16'd1) begin
      following.rows_left = now.rows_left - 16'd1;
      following.a = now.a + now.a_step;
      following.b = now.b + now.b_step;
    end else begin
      following.rows_left = now.rows;
      following.planes_left = now.planes_left - 16'd1;
      following.a_plane = now.a_plane + now.a_plane_step;
      following.b_plane = now.b_plane + now.b_plane_step;
      following.a = following.a_plane;
      following.b = following.b_plane;
    end
  end
  assign is_last = now.rows_left == 16'd1 && now.planes_left == 16'd1;
  assign a = now.a;
  assign b = now.b;

  always_ff @(posedge clk) begin
    if (start || is_busy) state <= step ? following : now;
    if (rst) is_busy <= 1'b0;
    else if (start || is_busy) is_busy <= !(step && is_last);
  end
endmodule
