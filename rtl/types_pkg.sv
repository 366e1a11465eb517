// Structures that pass between modules. Numbers come from isa_pkg (instruction table) and machine_pkg (machine file).
package types_pkg;

  // Bank ports of the two on-chip memories, a bit per bank.
  typedef struct packed {
    logic [machine_pkg::SP_BANKS-1:0]  sp_read;
    logic [machine_pkg::SP_BANKS-1:0]  sp_write;
    logic [machine_pkg::ACC_BANKS-1:0] acc_read;
    logic [machine_pkg::ACC_BANKS-1:0] acc_write;
  } banks_t;

  // A tensor instruction in a queue: its word's masks and flags, the captured registers, and the bank ports it uses.
  typedef struct packed {
    logic [7:0]                       opcode;
    logic [isa_pkg::WAIT_BITS-1:0]    waits;
    logic [isa_pkg::POST_BITS-1:0]    posts;
    logic [isa_pkg::FLAGS-1:0]        flags;
    logic [isa_pkg::SLOTS-1:0][31:0]  operand;
    banks_t                           banks;
    logic [machine_pkg::SP_BANKS-1:0] sp_streamed;  // of banks.sp_read: read by beats after the preface
  } command_t;

  // What the vector unit reads and writes: rows of the preface from two bases, then planes x rows results, each from lines x columns
  // source rows. Rows are kept modulo the larger memory's size: dispatch_check has made sure that they are in range.
  typedef struct packed {
    logic [7:0]                       first_count;
    logic [7:0]                       second_count;
    logic [machine_pkg::ROW_BITS-1:0] first;
    logic [machine_pkg::ROW_BITS-1:0] second;
    logic [15:0]                      rows;
    logic [15:0]                      planes;
    logic [15:0]                      lines;
    logic [15:0]                      columns;
    logic [machine_pkg::ROW_BITS-1:0] source;
    logic [machine_pkg::ROW_BITS-1:0] source_step;
    logic [machine_pkg::ROW_BITS-1:0] source_plane_step;
    logic [machine_pkg::ROW_BITS-1:0] line_step;
    logic [machine_pkg::ROW_BITS-1:0] column_step;
    logic                             has_right;    // the second source row of a result is one of the right operand
    logic [machine_pkg::ROW_BITS-1:0] right;
    logic [machine_pkg::ROW_BITS-1:0] right_step;
    logic [machine_pkg::ROW_BITS-1:0] right_plane_step;
    logic [machine_pkg::ROW_BITS-1:0] target;
    logic [machine_pkg::ROW_BITS-1:0] target_step;
    logic [machine_pkg::ROW_BITS-1:0] target_plane_step;
  } vector_plan_t;

  // A DMA transfer: planes x rows of `bytes` bytes, each row split into blocks of one on-chip row.
  // dispatch_check has made sure that every row number is in range, so they are kept modulo the memory's size.
  typedef struct packed {
    logic                              is_words;  // accumulator rows of 32-bit words, else scratchpad rows of bytes
    logic                              is_fill;   // no DRAM: every beat is one row of the fill value
    logic [31:0]                       dram;
    logic [machine_pkg::ROW_BITS-1:0]  row;
    logic [15:0]                       bytes;
    logic [15:0]                       rows;
    logic [15:0]                       planes;
    logic [31:0]                       stride;
    logic [31:0]                       plane_stride;
    logic [machine_pkg::ROW_BITS-1:0]  step;
    logic [machine_pkg::ROW_BITS-1:0]  plane_step;
    logic [machine_pkg::ROW_BITS-1:0]  block_step;
  } transfer_t;

  // One beat of a transfer. `lane` is the byte lane of the on-chip row at which the bus word's first byte lies (negative
  // if the piece begins inside the word); lanes from `length` on are past the end of the row.
  typedef struct packed {
    logic                              has_word;       // a bus word is transferred
    logic                              uses_held;      // bytes before it come from the word that was fetched last
    logic                              is_words;
    logic [machine_pkg::ROW_BITS-1:0]  row;
    logic [31:0]                       word;           // bus word number
    logic signed [12:0]                lane;
    logic [11:0]                       length;
    logic                              is_piece_last;
    logic                              is_last;
  } beat_t;

endpackage
