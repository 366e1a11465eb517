"""The instruction table's rows, one module per unit."""
