import paddle
import paddle.nn.functional as F
from paddle import nn

WORDS, LENGTH, WIDTH = 5000, 64, 128


class Block(nn.Layer):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH, epsilon=1e-5)
        self.attention = nn.MultiHeadAttention(WIDTH, num_heads=4)
        self.norm2 = nn.LayerNorm(WIDTH, epsilon=1e-5)
        self.expand = nn.Linear(WIDTH, 512)
        self.contract = nn.Linear(512, WIDTH)

    def forward(self, x):
        new = self.norm1(x)
        x = x + self.attention(new, new, new)
        new = self.expand(self.norm2(x))
        new = self.contract(F.gelu(new))
        return x + new


class Model(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.position = nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(2)))
        self.norm = nn.LayerNorm(WIDTH, epsilon=1e-5)
        self.head = nn.Linear(WIDTH, 2)

    def forward(self, x):  # (batch, 64)
        positions = paddle.arange(LENGTH)
        x = self.embedding(x) + self.position(positions)  # (batch, 64, 128)
        x = self.norm(self.blocks(x))
        return self.head(x.mean(axis=1))


loss = F.cross_entropy

OPTIMIZERS = {
    "adam": lambda parameters: paddle.optimizer.Adam(1e-3, beta1=0.9, beta2=0.999, epsilon=1e-7, parameters=parameters),
}

# Our names for Paddle's.
LEAVES = {
    "attention.%s_proj.%s" % (theirs, tensor): ("attention.%s.%s" % (ours, leaf),)
    for theirs, ours in (("q", "query"), ("k", "key"), ("v", "value"), ("out", "out"))
    for tensor, leaf in (("weight", "kernel"), ("bias", "bias"))
}
