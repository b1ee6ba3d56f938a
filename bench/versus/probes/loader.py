"""Steps wait for the data loader."""

from bench import units
from bench.versus.causes import Finding, Side

LESSON = "data-loader-cost"
WEIGHT = 0.6
SHARE = 0.05  # of a step
UNCLEAR = 0.02  # between these shares, noise may decide


def find(one: Side, other: Side) -> "Finding | None":
    """Report a wait for data, unless it is unclear whether the other program waits as long."""
    waits_s, waits_of_other_s = one.fact("loader_s"), other.fact("loader_s") or 0.0
    if not waits_s or waits_s < SHARE * one.step_s or UNCLEAR <= waits_of_other_s / other.step_s < SHARE:
        return None
    about = one.fact("loader") or {}
    kind = f" It loads {about['kind']}, with {about['workers']} workers." if about else ""
    return Finding(
        f"It waits {units.step_time(waits_s)} per {one.unit} for its data ({waits_s / one.step_s:.0%}).{kind}",
        "Load whole batches (slices of an array), or add workers and prefetch batches.",
        cost_s=max(0.0, waits_s - waits_of_other_s),
    )
