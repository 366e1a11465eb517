"""Goldens: cases of kernels and models whose outputs and cycles are recorded, and checked from then on (docs/goldens.md)."""
