"""The RTL's SystemVerilog, as package data; accelkit.simulator.rtl builds and runs it."""
