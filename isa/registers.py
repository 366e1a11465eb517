"""Scalar registers and their ABI names. `x0` reads 0; as a count or a step it means 1."""

REGISTER_COUNT = 32

ABI_NAMES = (
    "zero",
    "ra",
    *(f"a{i}" for i in range(8)),
    *(f"t{i}" for i in range(10)),
    *(f"s{i}" for i in range(12)),
)

REGISTER_NUMBERS = {f"x{i}": i for i in range(REGISTER_COUNT)} | {name: i for i, name in enumerate(ABI_NAMES)}
