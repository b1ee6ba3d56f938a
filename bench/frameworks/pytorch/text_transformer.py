import torch
import torch.nn.functional as F
from torch import nn

WORDS, LENGTH, WIDTH = 5000, 64, 128


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH, eps=1e-5)
        self.attention = nn.MultiheadAttention(WIDTH, num_heads=4, batch_first=True)
        self.norm2 = nn.LayerNorm(WIDTH, eps=1e-5)
        self.expand = nn.Linear(WIDTH, 512)
        self.contract = nn.Linear(512, WIDTH)

    def forward(self, x):
        new = self.norm1(x)
        new, _ = self.attention(new, new, new, need_weights=False)
        x = x + new
        new = self.expand(self.norm2(x))
        new = self.contract(F.gelu(new))
        return x + new


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.position = nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(2)))
        self.norm = nn.LayerNorm(WIDTH, eps=1e-5)
        self.head = nn.Linear(WIDTH, 2)

    def forward(self, x):  # (batch, 64)
        positions = torch.arange(LENGTH, device=x.device)
        x = self.embedding(x) + self.position(positions)  # (batch, 64, 128)
        x = self.norm(self.blocks(x))
        return self.head(x.mean(dim=1))


loss = F.cross_entropy

OPTIMIZERS = {
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=1e-3, betas=(0.9, 0.999), eps=1e-7),
}

# Our names for PyTorch's: the projections of the heads are packed.
LEAVES = {
    "attention.in_proj_weight": ("attention.query.kernel", "attention.key.kernel", "attention.value.kernel"),
    "attention.in_proj_bias": ("attention.query.bias", "attention.key.bias", "attention.value.bias"),
    "attention.out_proj.weight": ("attention.out.kernel",),
    "attention.out_proj.bias": ("attention.out.bias",),
}
