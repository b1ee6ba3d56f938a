"""Many numbers are subnormal, and processors compute slowly with these."""

from bench.versus.causes import Finding, Side

WEIGHT = 0.7
SHARE = 0.01


def find(one: Side, other: Side) -> "Finding | None":
    """Report weights and optimizer state with subnormal numbers."""
    share = one.fact("subnormals")
    if not share or share < SHARE:
        return None
    return Finding(
        f"{share:.0%} of the weights and the optimizer's state are closer to 0 than the smallest normal number.",
        "Let the processor treat them as 0 (flush denormal numbers), or initialize weights with larger numbers.",
    )
