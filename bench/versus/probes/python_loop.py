"""A recurrent layer runs as a Python loop over time steps."""

from bench.versus.causes import Finding, Side

LESSON = "keras-on-torch-recurrent"
WEIGHT = 0.95
MANY = 8  # rounds per step


def find(one: Side, other: Side) -> "Finding | None":
    """Report rounds of a recurrent loop that Python makes in each step."""
    rounds = {name: count for found in one.facts("python_loops_per_step") for name, count in found.items()}
    count = sum(rounds.values())
    if count < MANY:
        return None
    return Finding(
        f"Python makes {count:.0f} rounds of recurrent loops ({', '.join(sorted(rounds))}) per {one.unit} on the "
        f"{one.fact('device') or 'device'}; no fused kernel or compiled loop was used.",
        "Use the framework's own recurrent layer where it is one kernel, or a backend that compiles the loop.",
    )
