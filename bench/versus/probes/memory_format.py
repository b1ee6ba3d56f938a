"""Convolutions read images in different memory formats."""

from bench.versus.causes import Finding, Side

LESSON = "nchw-on-gpu"
IS_DIFFERENCE = True
WEIGHT = 0.4


def find(one: Side, other: Side) -> "Finding | None":
    """Report another format in most convolutions, if both programs use the same frameworks."""
    formats = one.fact("memory_formats"), other.fact("memory_formats")
    if not all(formats) or set(one.by_framework) != set(other.by_framework):
        return None
    mine, theirs = (max(counts, key=lambda name: counts[name]) for counts in formats)
    if mine == theirs:
        return None
    return Finding(
        f"Convolutions have {mine} in program {one.name} and {theirs} in program {other.name}.",
        "Use the same memory format in both programs.",
    )
