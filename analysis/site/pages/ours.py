"""After how many steps a compiler's longer first step is earned back."""

import math
from statistics import median

from analysis import units
from analysis.estimate.contrasts import Contrast


def break_even(step: Contrast, first: Contrast | None) -> str:
    """Return after how many steps the longer first step is earned back, or "never"; a dash if that is not known."""
    if first is None:
        return units.NONE
    price, gain = (median(slow.values) - median(fast.values)
                   for slow, fast in ((first.compiling, first.plain), (step.plain, step.compiling)))  # fmt: skip
    if price <= 0:
        return "0"
    return f"{math.ceil(price / gain):,}" if gain > 0 else "never"
