"""The programs use different numbers of threads."""

from bench.versus.causes import Finding, Side

IS_DIFFERENCE = True
WEIGHT = 0.7


def find(one: Side, other: Side) -> "Finding | None":
    """Report another number of threads per operation, if both compute on the CPU."""
    threads = one.fact("threads"), other.fact("threads")
    if None in threads or threads[0] == threads[1] or "cpu" not in (one.fact("device"), other.fact("device")):
        return None
    return Finding(
        f"An operation uses {threads[0]} threads in program {one.name} and {threads[1]} in program {other.name}.",
        "Set the same number of threads in both programs.",
    )
