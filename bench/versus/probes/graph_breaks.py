"""The compiled graph is broken into parts, and Python runs between them."""

from bench.versus.causes import Finding, Side

LESSON = "graph-capture"
WEIGHT = 0.6


def find(one: Side, other: Side) -> "Finding | None":
    """Report graph breaks of a program that is compiled in part."""
    breaks = one.fact("graph_breaks") or {}
    count = sum(breaks.values())
    if not one.fact("compiled") or not count:
        return None
    most = max(breaks, key=lambda reason: breaks[reason])
    return Finding(
        f"The compiler broke its graph {count:.0f} times into {one.fact('compiled_graphs') or 'several'} graphs. "
        f'The most frequent reason: "{most}".',
        "Move printing, fetches and data-dependent branches out of the compiled function.",
    )
