"""The first step takes long, and a mean over few steps includes it."""

from bench import units
from bench.versus.causes import Finding, Side

LESSON = "first-step-outweighs-a-hundred"
WEIGHT = 0.2
STEPS = 100  # of a short test by hand
SHARE = 0.5  # of a mean over these steps
FEWEST_S = 1.0


def find(one: Side, other: Side) -> "Finding | None":
    """Report a first step that makes up much of a mean over 100 steps, unless the other program's does as well."""
    extra_s = one.first_step_s - one.step_s
    extra_of_other_s = other.first_step_s - other.step_s
    mean_s = one.step_s + extra_s / STEPS
    if extra_s < max(FEWEST_S, 3 * extra_of_other_s) or extra_s / STEPS < SHARE * mean_s:
        return None
    return Finding(
        f"The first step takes {units.step_time(one.first_step_s)}, a later step {units.step_time(one.step_s)}. "
        f"A mean over {STEPS} steps with the first is {units.step_time(mean_s)}.",
        "Leave the first step out of a mean, and state its time separately.",
    )
