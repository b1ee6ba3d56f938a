"""The programs process different numbers of examples per step."""

from bench.versus.causes import Finding, Side

IS_DIFFERENCE = True
IS_WORK = True
WEIGHT = 0.9


def find(one: Side, other: Side) -> "Finding | None":
    """Report batches of different sizes, unless the scripts state their examples per step."""
    sizes = one.fact("batch_size"), other.fact("batch_size")
    if None in sizes or sizes[0] == sizes[1]:
        return None
    if one.examples_per_step and other.examples_per_step:
        stated = one.examples_per_step / other.examples_per_step
        if abs(stated * sizes[1] / sizes[0] - 1) < 0.01:
            return None  # the ratio is per example
    return Finding(
        f"A batch has {sizes[0]} examples in program {one.name} and {sizes[1]} in program {other.name}.",
        "Use the same batch size, or state EXAMPLES_PER_STEP in both scripts to compare times per example.",
    )
