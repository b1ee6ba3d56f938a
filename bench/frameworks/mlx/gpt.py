import mlx.core as mx
import mlx.optimizers as optim
from mlx import nn

BYTES, LENGTH, WIDTH = 256, 128, 384


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH, eps=1e-5)
        self.attention = nn.MultiHeadAttention(WIDTH, num_heads=6, bias=True)
        self.norm2 = nn.LayerNorm(WIDTH, eps=1e-5)
        self.expand = nn.Linear(WIDTH, 4 * WIDTH)
        self.contract = nn.Linear(4 * WIDTH, WIDTH)

    def __call__(self, x):
        new = self.norm1(x)
        x = x + self.attention(new, new, new, mask="causal")
        new = self.expand(self.norm2(x))
        new = self.contract(nn.gelu(new))
        return x + new


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(BYTES, WIDTH)
        self.position = nn.Embedding(LENGTH, WIDTH)
        self.blocks = [Block() for _ in range(6)]
        self.norm = nn.LayerNorm(WIDTH, eps=1e-5)

    def __call__(self, x):  # (batch, 128)
        x = self.embedding(x) + self.position(mx.arange(LENGTH))  # (batch, 128, 384)
        for block in self.blocks:
            x = block(x)
        return self.embedding.as_linear(self.norm(x))  # (batch, 128, 256)


def loss(logits, y):
    return nn.losses.cross_entropy(logits, y, reduction="mean")


OPTIMIZERS = {
    "adamw": lambda: optim.AdamW(1e-3, betas=[0.9, 0.99], eps=1e-8, weight_decay=0.1, bias_correction=True),
}

# Our names for MLX's.
LEAVES = {
    "attention.query_proj.weight": ("attention.query.kernel",),
    "attention.query_proj.bias": ("attention.query.bias",),
    "attention.key_proj.weight": ("attention.key.kernel",),
    "attention.key_proj.bias": ("attention.key.bias",),
    "attention.value_proj.weight": ("attention.value.kernel",),
    "attention.value_proj.bias": ("attention.value.bias",),
    "attention.out_proj.weight": ("attention.out.kernel",),
    "attention.out_proj.bias": ("attention.out.bias",),
}
