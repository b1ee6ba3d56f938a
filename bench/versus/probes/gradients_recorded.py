"""Inference records gradients that nothing uses."""

from bench.versus.causes import Finding, Side

LESSON = "inference-mode"
WEIGHT = 0.5


def find(one: Side, other: Side) -> "Finding | None":
    """Report a step that records gradients and does not use them."""
    if not one.fact("gradients_recorded"):
        return None
    return Finding(
        "Operations save tensors for a backward pass, and no backward pass follows.",
        "Run inference in the framework's context without gradients, or without a gradient tape.",
    )
