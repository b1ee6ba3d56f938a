"""The models have different sizes."""

from bench.versus.causes import Finding, Side

IS_DIFFERENCE = True
IS_WORK = True
WEIGHT = 0.9
TOLERANCE = 0.05  # a second bias in a recurrent layer is less


def find(one: Side, other: Side) -> "Finding | None":
    """Report models with clearly different numbers of trained weights."""
    sizes = one.fact("parameters"), other.fact("parameters")
    if not all(sizes) or abs(sizes[0] - sizes[1]) <= TOLERANCE * max(sizes):
        return None
    return Finding(
        f"Program {one.name} trains {sizes[0]:,} weights, program {other.name} {sizes[1]:,}.",
        "Give both models the same layers and sizes.",
    )
