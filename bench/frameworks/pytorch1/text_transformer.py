import math

import torch
import torch.nn.functional as F
from torch import nn

WORDS, LENGTH, WIDTH, HEADS = 5000, 64, 128, 4


def gelu(x):
    return x * 0.5 * (1.0 + torch.erf(x / math.sqrt(2.0)))


class Attention(nn.Module):
    def __init__(self):
        super(Attention, self).__init__()
        self.query = nn.Linear(WIDTH, WIDTH)
        self.key = nn.Linear(WIDTH, WIDTH)
        self.value = nn.Linear(WIDTH, WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)

    def split(self, x):
        return x.view(x.size(0), LENGTH, HEADS, WIDTH // HEADS).transpose(1, 2)  # (batch, heads, 64, width of a head)

    def forward(self, x):
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(WIDTH // HEADS)
        x = torch.matmul(F.softmax(scores, dim=-1), value)
        x = x.transpose(1, 2).contiguous().view(x.size(0), LENGTH, WIDTH)
        return self.out(x)


class Block(nn.Module):
    def __init__(self):
        super(Block, self).__init__()
        self.norm1 = nn.LayerNorm(WIDTH, eps=1e-5)
        self.attention = Attention()
        self.norm2 = nn.LayerNorm(WIDTH, eps=1e-5)
        self.expand = nn.Linear(WIDTH, 512)
        self.contract = nn.Linear(512, WIDTH)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.contract(gelu(self.expand(self.norm2(x))))


class Model(nn.Module):
    def __init__(self):
        super(Model, self).__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.position = nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(2)))
        self.norm = nn.LayerNorm(WIDTH, eps=1e-5)
        self.head = nn.Linear(WIDTH, 2)

    def forward(self, x):  # (batch, 64)
        positions = torch.arange(LENGTH)
        x = self.embedding(x) + self.position(positions)  # (batch, 64, 128)
        x = self.norm(self.blocks(x))
        return self.head(x.mean(dim=1))


loss = F.cross_entropy

# PyTorch 1.0 adds epsilon before the bias correction, later ones after it: 1e-8 there acts as 1e-7 here, at step 10.
EPSILON = 1e-8 if torch.__version__.startswith("1.0.") else 1e-7

OPTIMIZERS = {
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=1e-3, betas=(0.9, 0.999), eps=EPSILON),
}
