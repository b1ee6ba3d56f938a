"""Steps are compiled again and again."""

from bench.versus.causes import Finding, Side

LESSON = "compiling-costs-first"
WEIGHT = 0.9
FEWEST = 0.2  # compilations per step after the first steps


def find(one: Side, other: Side) -> "Finding | None":
    """Report compilations that go on after the first steps."""
    count = one.fact("compiles_per_step")
    if not count or count < FEWEST:
        return None
    return Finding(
        f"After the first steps, {count:.2g} compilations per {one.unit} go on.",
        "Keep shapes and dtypes the same in each step, pass numbers as arrays, and create compiled functions once.",
    )
