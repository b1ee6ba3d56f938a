"""Each step copies values from the device to Python, and waits for them."""

from bench import units
from bench.versus.causes import Finding, Side

LESSON = "host-sync-in-loop"
WEIGHT = 0.5
SHARE = 0.02  # of a step: what fetches without waiting take at least
UNCLEAR = 0.008  # between these shares, noise may decide
MANY = 3  # fetches per step more than in the other program


def find(one: Side, other: Side) -> "Finding | None":
    """Report fetches that cost time: measured where steps are synchronous, else if the other program has few."""
    count, spent_s = one.fact("fetches_per_step"), one.fact("fetches_s") or 0.0
    if not count:
        return None
    fetches = f"{count:.3g} fetches per {one.unit} (such as .item(), .numpy() or print)"
    remedy = "Fetch the loss once in many steps, and keep metrics on the device until then."
    if not one.fact("is_asynchronous"):
        share_of_other = (other.fact("fetches_s") or 0.0) / other.step_s
        if spent_s < SHARE * one.step_s or UNCLEAR <= share_of_other < SHARE:
            return None
        return Finding(f"There are {fetches}; they take {units.step_time(spent_s)}.", remedy, cost_s=spent_s)
    count_of_other = other.fact("fetches_per_step")
    if count_of_other is None or count < max(MANY + count_of_other, 2 * count_of_other):
        return None
    return Finding(f"There are {fetches}; the other program has {count_of_other:.3g}.", remedy)
