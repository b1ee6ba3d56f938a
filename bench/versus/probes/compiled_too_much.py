"""The compiler makes many small graphs, and each call of one has a cost."""

from bench import units
from bench.versus.causes import Finding, Side

LESSON = "keras-jit-compile-on-torch"
WEIGHT = 0.7
MANY = 4  # graphs
FACTOR = 4  # times as many as the other program has


def find(one: Side, other: Side) -> "Finding | None":
    """Report many graphs of a compiler that can be turned off, if this program is not faster for them."""
    graphs, graphs_of_other = one.fact("compiled_graphs"), other.fact("compiled_graphs") or 0
    switch = one.switch("compilation")
    if not one.fact("compiled") or graphs is None or graphs < max(MANY, FACTOR * graphs_of_other) or not switch:
        return None
    if one.step_s < other.step_s:
        return None
    return Finding(
        f"The compiler made {graphs:.0f} graphs, in the other program {graphs_of_other:.0f}. "
        f"The first step takes {units.step_time(one.first_step_s)} instead of {units.step_time(other.first_step_s)}.",
        "Turn compilation off (jit_compile=False), or compile the whole step as one function.",
        switch=switch,
    )
