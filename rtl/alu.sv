// Scalar results and branch conditions.
module alu (
    input  logic [7:0]  opcode,
    input  logic [31:0] a,         // rs1
    input  logic [31:0] b,         // rs2 or the immediate
    output logic [31:0] result,
    output logic        is_taken   // of a conditional branch
);
  logic is_less, is_below;  // signed, unsigned
  assign is_less  = $signed(a) < $signed(b);
  assign is_below = a < b;

  always_comb begin
    case (opcode)
      isa_pkg::OP_SUB: result = a - b;
      isa_pkg::OP_MUL, isa_pkg::OP_MULI: result = a * b;
      isa_pkg::OP_AND, isa_pkg::OP_ANDI: result = a & b;
      isa_pkg::OP_OR, isa_pkg::OP_ORI: result = a | b;
      isa_pkg::OP_XOR, isa_pkg::OP_XORI: result = a ^ b;
      isa_pkg::OP_SLL, isa_pkg::OP_SLLI: result = a << b[4:0];
      isa_pkg::OP_SRL, isa_pkg::OP_SRLI: result = a >> b[4:0];
      isa_pkg::OP_SRA, isa_pkg::OP_SRAI: result = $signed(a) >>> b[4:0];
      isa_pkg::OP_SLT, isa_pkg::OP_SLTI: result = 32'(is_less);
      isa_pkg::OP_SLTU, isa_pkg::OP_SLTIU: result = 32'(is_below);
      isa_pkg::OP_MIN, isa_pkg::OP_MINI: result = is_less ? a : b;
      isa_pkg::OP_MAX, isa_pkg::OP_MAXI: result = is_less ? b : a;
      default: result = a + b;  // OP_ADD, OP_ADDI; address of OP_LARG, target of OP_JALR
    endcase
    case (opcode)
      isa_pkg::OP_BEQ: is_taken = a == b;
      isa_pkg::OP_BNE: is_taken = a != b;
      isa_pkg::OP_BLT: is_taken = is_less;
      isa_pkg::OP_BGE: is_taken = !is_less;
      isa_pkg::OP_BLTU: is_taken = is_below;
      isa_pkg::OP_BGEU: is_taken = !is_below;
      default: is_taken = 1'b0;
    endcase
  end
endmodule
