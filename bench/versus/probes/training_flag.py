"""Layers such as dropout and batch norm run in inference mode while the program trains."""

from bench.versus.causes import Finding, Side

LESSON = "flag-forgotten"
IS_WORK = True
WEIGHT = 0.8


def find(one: Side, other: Side) -> "Finding | None":
    """Report layers in inference mode, if the same layers are in training mode in the other program."""
    layers = one.fact("training_layers")
    if not layers or one.fact("is_training") is not False or other.fact("is_training") is not True:
        return None
    if not other.fact("training_layers"):
        return None
    names = ", ".join(f"{count} {name}" for name, count in sorted(layers.items()))
    return Finding(
        f"{names}: in inference mode here, in training mode in the other program.",
        "Call the model with training=True, or model.train(), in a training step.",
    )
