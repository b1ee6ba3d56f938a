import mlx.core as mx
import mlx.optimizers as optim
from mlx import nn

WORDS, LENGTH, WIDTH = 5000, 64, 128


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH, eps=1e-5)
        self.attention = nn.MultiHeadAttention(WIDTH, num_heads=4, bias=True)
        self.norm2 = nn.LayerNorm(WIDTH, eps=1e-5)
        self.expand = nn.Linear(WIDTH, 512)
        self.contract = nn.Linear(512, WIDTH)

    def __call__(self, x):
        new = self.norm1(x)
        x = x + self.attention(new, new, new)
        new = self.expand(self.norm2(x))
        new = self.contract(nn.gelu(new))
        return x + new


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.position = nn.Embedding(LENGTH, WIDTH)
        self.blocks = [Block() for _ in range(2)]
        self.norm = nn.LayerNorm(WIDTH, eps=1e-5)
        self.head = nn.Linear(WIDTH, 2)

    def __call__(self, x):  # (batch, 64)
        x = self.embedding(x) + self.position(mx.arange(LENGTH))  # (batch, 64, 128)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x).mean(axis=1))


def loss(logits, y):
    return nn.losses.cross_entropy(logits, y, reduction="mean")


OPTIMIZERS = {
    "adam": lambda: optim.Adam(1e-3, betas=[0.9, 0.999], eps=1e-7, bias_correction=True),
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
