"""Only one of the programs is compiled."""

from bench.versus.causes import Finding, Side

LESSON = "compile-closes-gap"
IS_DIFFERENCE = True
WEIGHT = 0.6


def find(one: Side, other: Side) -> "Finding | None":
    """Report a program without compiled parts, if the other uses the same framework and has some."""
    if one.fact("compiler") is not None:
        return None  # not_compiled.py knows more
    if set(one.by_framework) != set(other.by_framework):
        return None
    compiled = one.fact("compiled"), other.fact("compiled")
    if compiled[0] or not compiled[1] or compiled[0] is None:
        return None
    return Finding(
        f"Program {other.name} compiles {', '.join(compiled[1][:3])}; program {one.name} compiles nothing.",
        "Compare both programs with the same compiler settings.",
    )
