"""The machines that ship: one TOML file each."""
