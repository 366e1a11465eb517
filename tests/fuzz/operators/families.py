"""The families of fuzzed operators: each has a space of features, draws sizes for a choice, and builds the model.

Sizes are whole numbers in a dictionary of their own, so that a failure can be made smaller: see `shrink`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

import numpy as np

from tests.fuzz.operators import layouts, products, values
from tests.fuzz.operators.model import ModelBuilder
from tests.fuzz.operators.space import Choice, Space

Sizes = dict[str, int]
Draw = Callable[[Choice, Random, int], Sizes]
Build = Callable[[ModelBuilder, Choice, Mapping[str, int]], list[str]]

MACHINES = ("tiny-8", "edge-16", "odd-6")
COMMON = {"machine": MACHINES, "type": ("int8", "uint8"), "scales": ("any", "powers of two")}


@dataclass(frozen=True)
class Family:
    """`draw(choice, rng, lanes)` gives sizes; `build(builder, choice, sizes)` adds nodes and returns the outputs' names.

    `build` raises ValueError for sizes that contradict each other, as shrinking makes them.
    """

    space: Space
    draw: Draw
    build: Build


def _family(
    name: str,
    features: Mapping[str, tuple[str, ...]],
    draw: Draw,
    build: Build,
    is_possible: Callable[[Choice], bool] = lambda choice: True,
) -> Family:
    return Family(Space(name, COMMON | features, is_possible), draw, build)


FAMILIES = {
    family.space.name: family
    for family in (
        _family("convolution", products.CONVOLUTION, products.draw_convolution, products.build_convolution, products.is_convolution),
        _family("product", products.PRODUCT, products.draw_product, products.build_product, products.is_product),
        _family("pool", values.POOL, values.draw_pool, values.build_pool, values.is_pool),
        _family("pair", values.PAIR, values.draw_pair, values.build_pair, values.is_pair),
        _family("table", values.TABLE, values.draw_table, values.build_table, values.is_table),
        _family("concat", layouts.CONCAT, layouts.draw_concat, layouts.build_concat),
        _family("layout", layouts.LAYOUT, layouts.draw_layout, layouts.build_layout, layouts.is_layout),
        _family("chain", values.CHAIN, values.draw_chain, values.build_chain),
    )
}


def builder(choice: Choice, sizes: Mapping[str, int]) -> ModelBuilder:
    """An empty model whose data follow from the sizes' seed."""
    return ModelBuilder(np.dtype(choice["type"]), np.random.default_rng(sizes["seed"]), choice["scales"] == "powers of two")
