"""A single operation has a slow kernel on this device."""

from bench import units
from bench.versus.causes import Finding, Side

WEIGHT = 0.8
SHARE = 0.5  # of all operations' time
SLOWER = 1.5  # than the same operation in the other program
FACTOR = 1.2  # times the whole step of the other program


def find(one: Side, other: Side) -> "Finding | None":
    """Report an operation that alone takes longer than the other program's whole step."""
    slowest = one.fact("slowest_operations")
    if one.is_slower is False or not slowest or any(one.facts("python_loops_per_step")):
        return None  # a tie needs no cause, and a loop calls an operation many times
    name, seconds, share = slowest[0]
    spent_s = min(share * one.step_s, seconds)  # a look may be slower, and operations are not all of a step
    same = [seconds for other_name, seconds, _ in other.fact("slowest_operations") or () if other_name == name]
    if same and same[0] > seconds / SLOWER:
        return None
    if share < SHARE or spent_s < FACTOR * other.step_s or one.fact("dtypes") != other.fact("dtypes"):
        return None
    return Finding(
        f"{name} takes {share:.0%} of the operations' time on the {one.fact('device') or 'device'}, about "
        f"{units.step_time(spent_s)} per {one.unit}. The other program needs "
        f"{units.step_time(other.step_s)} for everything.",
        "Write the layer with other operations, or run it on another device or framework version.",
        cost_s=spent_s - other.step_s,
    )
