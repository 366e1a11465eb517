// Streams cases through one verilated requantise_lane, one a cycle, for ctypes (tests/rtl/requantise.py). Simulation only.
#include <cstdint>

#include "Vrequantise_lane.h"

extern "C" void requantise_run(int64_t count, const uint32_t* acc, const uint32_t* bias, const uint32_t* scale,
                               int32_t zero_point, int32_t low, int32_t high, uint8_t* result) {
  constexpr int kToScale = 2, kToResult = 5;  // cycles after acc
  VerilatedContext context;
  Vrequantise_lane top(&context);
  top.zero_point = zero_point & 1023;
  top.low = low & 1023;
  top.high = high & 1023;
  for (int64_t cycle = 0; cycle < count + kToResult; cycle++) {
    if (cycle < count) top.acc = acc[cycle], top.bias = bias[cycle];
    if (cycle >= kToScale && cycle < count + kToScale) top.scale = scale[cycle - kToScale];
    top.clk = 0;
    top.eval();
    if (cycle >= kToResult) result[cycle - kToResult] = top.result;
    top.clk = 1;
    top.eval();
  }
}
