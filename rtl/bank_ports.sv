// Port faults: an instruction issues and needs a bank port that another unit holds. Of units that issue in the same cycle
// the lower has the port. The lowest unit that finds a port held is reported, a read port before a write port.
module bank_ports (
    input  logic              [isa_pkg::UNITS-1:0] issues,
    input  types_pkg::banks_t [isa_pkg::UNITS-1:0] needs,
    input  types_pkg::banks_t [isa_pkg::UNITS-1:0] holds,
    output logic                                   is_fault,
    output logic [1:0]                             unit,
    output logic [5:0]                             fault
);
  always_comb begin
    is_fault = 1'b0;
    unit = '0;
    fault = isa_pkg::FAULT_NONE;
    for (int u = isa_pkg::UNITS - 1; u >= 0; u--) begin
      types_pkg::banks_t met;
      met = '0;
      for (int other = 0; other < isa_pkg::UNITS; other++)
        if (other != u) met |= needs[u] & (holds[other] | (other < u && issues[other] ? needs[other] : '0));
      if (issues[u] && met != '0) begin
        is_fault = 1'b1;
        unit = 2'(u);
        fault = met.sp_read != '0 || met.acc_read != '0 ? isa_pkg::FAULT_BANK_READ : isa_pkg::FAULT_BANK_WRITE;
      end
    end
  end
endmodule
