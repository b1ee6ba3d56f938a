"""The optimizers have different settings."""

from bench.versus.causes import Finding, Side

LESSON = "optimiser-defaults-differ"
IS_DIFFERENCE = True
WEIGHT = 0.6
SMALL = 0.1  # weight of a difference in epsilon alone
TOLERANCE = 1e-3  # relative; frameworks keep settings as float32
IGNORED = ("type", "amsgrad", "nesterov")


def find(one: Side, other: Side) -> "Finding | None":
    """Report settings that differ, if each program has one optimizer."""
    found = [optimizers[0] for optimizers in (_optimizers(one), _optimizers(other)) if len(optimizers) == 1]
    if len(found) < 2:
        return None
    mine, theirs = found
    if _kind(mine) != _kind(theirs):
        return Finding(f"The optimizers are {mine['type']} and {theirs['type']}.", "Use the same optimizer.")
    names = [name for name in mine if name in theirs and name not in IGNORED and _differs(mine[name], theirs[name])]
    if not names:
        return None
    values = "; ".join(f"{name} {mine[name]:g} and {theirs[name]:g}" for name in names)
    return Finding(
        f"{mine['type']} in programs {one.name} and {other.name}: {values}.",
        "Write these settings out; defaults differ between frameworks.",
        weight=SMALL if names == ["epsilon"] else None,
    )


def _optimizers(side: Side) -> "list[dict]":
    return [optimizer for found in side.facts("optimizers") for optimizer in found]


def _kind(optimizer: dict) -> str:
    return optimizer["type"].lower().replace("_", "")


def _differs(one: float, other: float) -> bool:
    return abs(one - other) > TOLERANCE * max(abs(one), abs(other))
