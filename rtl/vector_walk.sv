// Beats of a vector instruction, one a cycle from the cycle of `start` on: rows of the preface, then source rows, tap by tap.
module vector_walk (
    input  logic                             clk,
    input  logic                             rst,
    input  logic                             start,
    input  types_pkg::vector_plan_t          plan,
    output logic                             has_beat,
    output logic                             is_busy,       // an instruction that started earlier has beats left
    output logic                             is_preface,    // the beat is one of the preface
    output logic [7:0]                       place,         // its number in the preface
    output logic                             is_first_tap,
    output logic                             is_last_tap,
    output logic                             is_last,       // of the instruction
    output logic [5:0]                       tap,           // modulo 64
    output logic [machine_pkg::ROW_BITS-1:0] row,           // that the beat reads
    output logic [machine_pkg::ROW_BITS-1:0] target         // of the result
);
  localparam int ROW_BITS = machine_pkg::ROW_BITS;

  typedef struct packed {
    types_pkg::vector_plan_t plan;
    logic [7:0]              place;
    logic [15:0]             rows_left;
    logic [15:0]             planes_left;
    logic [15:0]             lines_left;
    logic [15:0]             columns_left;
    logic [5:0]              tap;
    logic [ROW_BITS-1:0]     preface;
    logic [ROW_BITS-1:0]     source_plane;
    logic [ROW_BITS-1:0]     source_row;
    logic [ROW_BITS-1:0]     source_line;
    logic [ROW_BITS-1:0]     source;
    logic [ROW_BITS-1:0]     right_plane;
    logic [ROW_BITS-1:0]     right;
    logic [ROW_BITS-1:0]     target_plane;
    logic [ROW_BITS-1:0]     target;
  } state_t;
  state_t state, now, following;

  always_comb begin
    now = state;
    if (start) begin
      now.plan = plan;
      now.place = '0;
      now.rows_left = plan.rows;
      now.planes_left = plan.planes;
      now.lines_left = plan.lines;
      now.columns_left = plan.columns;
      now.tap = '0;
      now.preface = plan.first;
      now.source_plane = plan.source;
      now.source_row = plan.source;
      now.source_line = plan.source;
      now.source = plan.source;
      now.right_plane = plan.right;
      now.right = plan.right;
      now.target_plane = plan.target;
      now.target = plan.target;
    end
  end

  assign has_beat = start || is_busy;
  assign is_preface = now.place != now.plan.first_count + now.plan.second_count;
  assign place = now.place;
  assign is_first_tap = now.lines_left == now.plan.lines && now.columns_left == now.plan.columns;
  assign is_last_tap = !is_preface && now.lines_left == 16'd1 && now.columns_left == 16'd1;
  assign is_last = is_last_tap && now.rows_left == 16'd1 && now.planes_left == 16'd1;
  assign tap = now.tap;
  assign row = is_preface ? now.preface : now.plan.has_right && !is_first_tap ? now.right : now.source;
  assign target = now.target;

  always_comb begin
    following = now;
    if (is_preface) begin
      following.place = now.place + 8'd1;
      following.preface = following.place == now.plan.first_count ? now.plan.second : now.preface + 1'b1;
    end else if (now.columns_left != 16'd1) begin
      following.columns_left = now.columns_left - 16'd1;
      following.source = now.source + now.plan.column_step;
      following.tap = now.tap + 6'd1;
    end else if (now.lines_left != 16'd1) begin
      following.columns_left = now.plan.columns;
      following.lines_left = now.lines_left - 16'd1;
      following.source_line = now.source_line + now.plan.line_step;
      following.source = following.source_line;
      following.tap = now.tap + 6'd1;
    end else begin
      following.columns_left = now.plan.columns;
      following.lines_left = now.plan.lines;
      following.tap = '0;
      if (now.rows_left != 16'd1) begin
        following.rows_left = now.rows_left - 16'd1;
        following.source_row = now.source_row + now.plan.source_step;
        following.right = now.right + now.plan.right_step;
        following.target = now.target + now.plan.target_step;
      end else begin
        following.rows_left = now.plan.rows;
        following.planes_left = now.planes_left - 16'd1;
        following.source_plane = now.source_plane + now.plan.source_plane_step;
        following.source_row = following.source_plane;
        following.right_plane = now.right_plane + now.plan.right_plane_step;
        following.right = following.right_plane;
        following.target_plane = now.target_plane + now.plan.target_plane_step;
        following.target = following.target_plane;
      end
      following.source_line = following.source_row;
      following.source = following.source_row;
    end
  end

  always_ff @(posedge clk) begin
    if (has_beat) state <= following;
    if (rst) is_busy <= 1'b0;
    else is_busy <= has_beat && !is_last;
  end
endmodule
