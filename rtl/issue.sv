// Issue of a unit's oldest instruction: when every condition holds. The class of a cycle is what the unit's beat does in it
// (`beat_class`), or, without a beat, the first condition that is not met.
module issue #(
    parameter logic [1:0] UNIT = '0
) (
    input  logic                          is_present,
    input  logic                          is_port_free,  // cycles in which it is not are all busy with beats
    input  logic                          is_drained,
    input  logic                          has_room,      // fewer instructions in flight than `outstanding`
    input  logic [isa_pkg::WAIT_BITS-1:0] waits,
    input  logic [isa_pkg::WAIT_BITS-1:0] tokens,
    output logic                          issues,
    input  logic                          has_beat,
    input  logic [3:0]                    beat_class,
    output logic [3:0]                    cycle_class
);
  logic [isa_pkg::WAIT_BITS-1:0] unmet;
  assign unmet  = waits & ~tokens;
  assign issues = is_present && is_port_free && is_drained && has_room && unmet == '0;

  always_comb begin
    cycle_class = isa_pkg::CLASS_BUSY;
    for (int i = isa_pkg::WAIT_BITS - 1; i >= 0; i--) if (unmet[i]) cycle_class = isa_pkg::wait_class(UNIT, 3'(i));
    if (!has_room) cycle_class = isa_pkg::CLASS_OUTSTANDING;
    if (!is_drained) cycle_class = isa_pkg::CLASS_DRAIN;
    if (!is_present) cycle_class = isa_pkg::CLASS_EMPTY;
    if (has_beat) cycle_class = beat_class;
  end
endmodule
