"""Lint: what a kernel's synchronisation and accesses lack, whatever the timing (docs/lint.md, docs/adr/0007)."""
