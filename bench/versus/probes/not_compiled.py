"""The step is not compiled, so Python starts its operations one by one."""

from bench.versus.causes import Finding, Side

LESSON = "jit-for-jax"
WEIGHT = 0.9
MANY = 20  # operations that Python starts per step; a compiled step is a few programs


def find(one: Side, other: Side) -> "Finding | None":
    """Report many operations where compiled steps are usual, or where the other program is compiled."""
    compiler, dispatches = one.fact("compiler"), one.fact("dispatches_per_step")
    if compiler is not None and one.fact("is_eager_asked"):
        return Finding(f"The program turns {compiler} off.", "Remove the setting that runs steps eagerly.")
    if compiler is None or dispatches is None or dispatches < MANY:
        return None
    names = one.fact("compiled") or []
    part = f", although {', '.join(names[:3])} is compiled" if names else f" without {compiler}"
    return Finding(
        f"Python starts {dispatches:.0f} operations per {one.unit}{part}.",
        f"Put {compiler} around the whole training step.",
    )
