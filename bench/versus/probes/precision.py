"""Matrix products have different precision."""

from bench.versus.causes import Finding, Side

LESSON = ""
IS_DIFFERENCE = True
WEIGHT = 0.7
SHARE = 0.1  # of the floating-point numbers that a step computes
HALF = ("float16", "bfloat16")


def find(one: Side, other: Side) -> "Finding | None":
    """Report half precision or TF32 in one program only."""
    pairs = [(_half(one), _half(other)), (one.fact("matmul_precision"), other.fact("matmul_precision"))]
    for mine, theirs in pairs:
        if mine is not None and theirs is not None and mine != theirs:
            return Finding(
                f"Precision is {mine} in program {one.name} and {theirs} in program {other.name}.",
                "Set the same precision in both programs.",
            )
    return None


def _half(side: Side) -> "str | None":
    shares = side.fact("dtypes")
    if not shares:
        return None
    half = [name for name in HALF if shares.get(name, 0.0) >= SHARE]
    return half[0] if half else "full"
