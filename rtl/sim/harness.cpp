// Runs one launch on the verilated RTL, for ctypes (accelkit.simulator.rtl). Simulation only: holds the DRAM model.
//
// Macros from the build: BUS, READ_LATENCY, SP_ROW_BYTES, ACC_ROW_BYTES, SP_BANK_ROWS, ACC_BANK_ROWS, and
// FOR_SP_BANKS(X), FOR_ACC_BANKS(X) = X(0) X(1) ...
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "Vaccel.h"
#include "Vaccel___024root.h"
#ifdef VCD
#include "verilated_vcd_c.h"
#endif

namespace {

constexpr int kUnits = 4, kPorts = 5, kClasses = 16, kTraceColumns = 5;
constexpr int kUnitOfPort[kPorts] = {0, 1, 2, 2, 3};

// Fixed latency, data sampled when a read is asked for, writes committed at once.
class Dram {
 public:
  explicit Dram(uint8_t* bytes) : bytes_(bytes), ring_(READ_LATENCY * BUS) {}
  const uint8_t* arriving(uint64_t cycle) const { return &ring_[cycle % READ_LATENCY * BUS]; }
  void read(uint64_t cycle, uint64_t word) { std::memcpy(&ring_[cycle % READ_LATENCY * BUS], bytes_ + word * BUS, BUS); }
  void write(uint64_t word, const uint8_t* data, const uint8_t* strobe) {
    for (int i = 0; i < BUS; i++)
      if (strobe[i / 8] >> i % 8 & 1) bytes_[word * BUS + i] = data[i];
  }

 private:
  uint8_t* bytes_;
  std::vector<uint8_t> ring_;
};

template <class Memory>
uint8_t* put_bank(Memory& memory, uint8_t* bytes, int rows, int row_bytes) {
  for (int row = 0; row < rows; row++, bytes += row_bytes) std::memcpy(&memory[row], bytes, row_bytes);
  return bytes;
}

template <class Memory>
uint8_t* get_bank(Memory& memory, uint8_t* bytes, int rows, int row_bytes) {
  for (int row = 0; row < rows; row++, bytes += row_bytes) std::memcpy(bytes, &memory[row], row_bytes);
  return bytes;
}

}  // namespace

extern "C" {

struct Launch {
  const uint8_t* words;  // 16 bytes each
  const uint32_t* arguments;
  uint8_t* dram;  // the three memories are read and written in place
  uint8_t* scratchpad;
  uint8_t* accumulator;
  uint64_t word_count;
  uint64_t argument_count;
  uint64_t max_cycles;   // of the sequencer
  uint64_t give_up;      // cycles after which the simulation stops
  uint64_t dram_bytes;
  const char* vcd_path;  // or null
};

struct Outcome {
  uint64_t cycles;
  uint64_t unit_class[kUnits][kClasses];
  uint64_t sequencer_class[kClasses];
  uint32_t registers[32];
  uint32_t has_halted, has_faulted, is_waiting, is_queued, is_port_fault, has_given_up;
  uint32_t fault, fault_pc;
  uint64_t fault_cycle;
  uint64_t dispatches;
  int64_t* trace;  // rows of pc, dispatch, issue, last beat, completion; -1 if there is none; free with accel_free
};

void accel_free(int64_t* trace) { delete[] trace; }

void accel_run(const Launch* launch, Outcome* outcome) {
  VerilatedContext context;
  context.randReset(2);  // registers power up with anything, as hardware does: reset must do what has to be done
  context.randSeed(1);
#ifdef VCD
  context.traceEverOn(true);
#endif
  auto top = std::make_unique<Vaccel>(&context);
  auto* root = top->rootp;
#define MEMORY(name, b) root->accel__DOT__##name##__DOT__g_bank__BRA__##b##__KET____DOT__bank__DOT__mem
#define PUT_SP(b) bytes = put_bank(MEMORY(scratchpad, b), bytes, SP_BANK_ROWS, SP_ROW_BYTES);
#define PUT_ACC(b) bytes = put_bank(MEMORY(accumulator, b), bytes, ACC_BANK_ROWS, ACC_ROW_BYTES);
#define GET_SP(b) bytes = get_bank(MEMORY(scratchpad, b), bytes, SP_BANK_ROWS, SP_ROW_BYTES);
#define GET_ACC(b) bytes = get_bank(MEMORY(accumulator, b), bytes, ACC_BANK_ROWS, ACC_ROW_BYTES);
  Dram dram(launch->dram);

#ifdef VCD
  VerilatedVcdC vcd;
  if (launch->vcd_path) {
    top->trace(&vcd, 99);
    vcd.open(launch->vcd_path);
  }
#endif
  const auto settle = [&] {
    top->clk = 0;
    top->eval();
#ifdef VCD
    if (launch->vcd_path) vcd.dump(context.time());
#endif
  };
  const auto edge = [&] {
    context.timeInc(1);
    top->clk = 1;
    top->eval();
#ifdef VCD
    if (launch->vcd_path) vcd.dump(context.time());
#endif
    context.timeInc(1);
  };

  // Reset: what the registers powered up with goes; then the host writes memories, program and arguments; a last cycle
  // fetches the first word.
  top->rst = 1;
  settle();
  edge();
  uint8_t* bytes = launch->scratchpad;
  FOR_SP_BANKS(PUT_SP)
  bytes = launch->accumulator;
  FOR_ACC_BANKS(PUT_ACC)
  top->program_words = launch->word_count;
  top->argument_count = launch->argument_count;
  top->max_cycles = launch->max_cycles;
  top->dram_bytes = launch->dram_bytes;
  for (uint64_t i = 0; i < launch->word_count; i++) {
    top->host_instruction_en = 1;
    top->host_address = i;
    std::memcpy(&top->host_data, launch->words + 16 * i, 16);
    settle();
    edge();
  }
  top->host_instruction_en = 0;
  for (uint64_t i = 0; i < launch->argument_count; i++) {
    top->host_argument_en = 1;
    top->host_address = i;
    std::memcpy(&top->host_data, launch->arguments + i, 4);
    settle();
    edge();
  }
  top->host_argument_en = 0;
  settle();
  edge();
  top->rst = 0;

  // Cycles are counted up to the last event: what a later cycle went to does not matter.
  std::vector<int64_t> trace;
  std::vector<size_t> unit_rows[kUnits], port_rows[kPorts];  // rows of the trace, in order
  size_t issued[kUnits] = {}, ended[kPorts] = {}, completed[kPorts] = {};
  uint64_t since[kUnits + 1][kClasses] = {};
  *outcome = Outcome{};
  for (uint64_t cycle = 0;; cycle++) {
    std::memcpy(&top->dram_r_data, dram.arriving(cycle), BUS);
    settle();
    if (top->is_port_fault) {
      const int unit = top->port_fault_unit;
      outcome->is_port_fault = 1;
      outcome->fault = top->port_fault;
      outcome->fault_cycle = cycle;
      outcome->fault_pc = trace[unit_rows[unit][issued[unit]] * kTraceColumns];
      break;
    }
    if (top->is_quiet) break;
    if (cycle >= launch->give_up) {
      outcome->has_given_up = 1;
      break;
    }

    for (int unit = 0; unit < kUnits; unit++) since[unit][top->unit_class >> 4 * unit & 15]++;
    since[kUnits][top->sequencer_class]++;
    if (top->dispatches) {
      for (int unit = 0; unit < kUnits; unit++)
        if (top->enqueues >> unit & 1) unit_rows[unit].push_back(trace.size() / kTraceColumns);
      trace.insert(trace.end(), {static_cast<int64_t>(top->pc), static_cast<int64_t>(cycle), -1, -1, -1});
      if (top->dispatch_fault) {
        outcome->fault = top->dispatch_fault;
        outcome->fault_pc = top->pc;
        outcome->fault_cycle = cycle;
      }
    }
    for (int port = 0; port < kPorts; port++) {
      if (top->issues >> port & 1) {
        const size_t row = unit_rows[kUnitOfPort[port]][issued[kUnitOfPort[port]]++];
        port_rows[port].push_back(row);
        trace[row * kTraceColumns + 2] = cycle;
      }
      if (top->last_beats >> port & 1) trace[port_rows[port][ended[port]++] * kTraceColumns + 3] = cycle;
      if (top->completes >> port & 1) trace[port_rows[port][completed[port]++] * kTraceColumns + 4] = cycle;
    }
    if (top->dispatches || top->issues || top->last_beats || top->completes) {
      outcome->cycles = cycle + 1;
      for (int i = 0; i < kClasses; i++) {
        for (int unit = 0; unit < kUnits; unit++) outcome->unit_class[unit][i] += since[unit][i];
        outcome->sequencer_class[i] += since[kUnits][i];
      }
      std::memset(since, 0, sizeof since);
    }

    if (top->dram_r_en) dram.read(cycle, top->dram_r_word);
    dram.write(top->dram_w_word, reinterpret_cast<const uint8_t*>(&top->dram_w_data),
               reinterpret_cast<const uint8_t*>(&top->dram_w_strobe));
    edge();
  }

  outcome->has_halted = top->has_halted;
  outcome->has_faulted = top->has_faulted;
  outcome->is_waiting = top->is_waiting;
  outcome->is_queued = top->is_queued;
  for (int i = 0; i < 32; i++) outcome->registers[i] = root->accel__DOT__sequencer__DOT__registers[i];
  bytes = launch->scratchpad;
  FOR_SP_BANKS(GET_SP)
  bytes = launch->accumulator;
  FOR_ACC_BANKS(GET_ACC)
  outcome->dispatches = trace.size() / kTraceColumns;
  outcome->trace = new int64_t[trace.size() + 1];
  std::memcpy(outcome->trace, trace.data(), trace.size() * sizeof(int64_t));
#ifdef VCD
  if (launch->vcd_path) vcd.close();
#endif
  top->final();
}
}
