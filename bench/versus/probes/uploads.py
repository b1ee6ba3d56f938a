"""Each step copies arrays from the host to the device."""

from bench.versus.causes import Finding, Side

LESSON = "transfer-in-loop"
WEIGHT = 0.4


def find(one: Side, other: Side) -> "Finding | None":
    """Report copies to a GPU, if the other program has fewer."""
    count, count_of_other = one.fact("uploads_per_step"), other.fact("uploads_per_step")
    if not count or count_of_other is None or one.fact("device") == "cpu" or count <= count_of_other:
        return None
    return Finding(
        f"{count:.3g} arrays per {one.unit} are copied to the device; {count_of_other:.3g} in the other program.",
        "Place data on the device before the steps, or copy the next batch while a step runs.",
    )
