"""Encoder blocks, normed before each part, and the mean over all words."""

from bench.oracle import gelu

EPSILON = 1e-5


def trunk(net, x, blocks, heads, is_causal=False):
    """Return what the blocks and the last norm make of words (batch, length)."""
    x = net.embedding(x, "embedding") + net.weights["position.table"]
    for name in ("blocks.%d" % index for index in range(blocks)):
        x = x + net.attention(net.layer_norm(x, name + ".norm1", EPSILON), name + ".attention", heads, is_causal)
        new = gelu(net.dense(net.layer_norm(x, name + ".norm2", EPSILON), name + ".expand"))
        x = x + net.dense(new, name + ".contract")
    return net.layer_norm(x, "norm", EPSILON)


def forward(net, x):
    """Return (batch, 2) of x (batch, 64)."""
    return net.dense(trunk(net, x, blocks=2, heads=4).mean(1), "head")
