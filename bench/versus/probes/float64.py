"""Arithmetic is in float64."""

from bench.versus.causes import Finding, Side

LESSON = "float64-by-accident"
WEIGHT = 0.9
SHARE = 0.1  # of the floating-point numbers that a step computes


def find(one: Side, other: Side) -> "Finding | None":
    """Report steps that compute many numbers in float64."""
    share = (one.fact("dtypes") or {}).get("float64", 0.0)
    if share < SHARE:
        return None
    return Finding(
        f"{share:.0%} of the numbers that a step computes are float64.",
        "Convert the data to float32 (NumPy and pandas create float64), and remove .double() or x64 settings.",
        switch=one.switch("float64"),
    )
