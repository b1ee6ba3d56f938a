"""The program asks for compilation, and nothing was compiled."""

from bench.versus.causes import Finding, Side

LESSON = "graph-capture"
WEIGHT = 0.8


def find(one: Side, other: Side) -> "Finding | None":
    """Report a compiler that made no graph; the times may still be a tie."""
    if not one.fact("is_compile_asked") or one.fact("compiled") != []:
        return None
    reasons = list(one.fact("graph_breaks") or {})
    why = f' Its reason: "{reasons[0]}".' if reasons else ""
    return Finding(
        f"The compiler made 0 graphs.{why}",
        "Compile a part that the compiler supports, or leave the compiler out. The step runs as without it.",
    )
