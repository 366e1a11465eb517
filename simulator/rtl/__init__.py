"""The verilated RTL: build it for a machine, run programs on it, compare with the simulator. Needs the extra `[rtl]` and g++."""
