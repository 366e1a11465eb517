"""Dispatcher of ONNX models: import, placement on accelerator and CPU, run, report. Needs the extra `onnx`."""
