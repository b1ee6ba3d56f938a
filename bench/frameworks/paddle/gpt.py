import paddle
import paddle.nn.functional as F
from paddle import nn

BYTES, LENGTH, WIDTH, HEADS = 256, 128, 384, 6


class CausalSelfAttention(nn.Layer):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)  # query, key and value of all heads
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(x).reshape([batch, length, 3, HEADS, width // HEADS])
        query, key, value = qkv.unbind(axis=2)  # each (batch, length, heads, width of a head)
        x = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.out(x.reshape([batch, length, width]))


class Block(nn.Layer):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH, epsilon=1e-5)
        self.attention = CausalSelfAttention()
        self.norm2 = nn.LayerNorm(WIDTH, epsilon=1e-5)
        self.expand = nn.Linear(WIDTH, 4 * WIDTH)
        self.contract = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        new = self.expand(self.norm2(x))
        new = self.contract(F.gelu(new))
        return x + new


class Model(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(BYTES, WIDTH)
        self.position = nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(6)))
        self.norm = nn.LayerNorm(WIDTH, epsilon=1e-5)

    def forward(self, x):  # (batch, 128)
        positions = paddle.arange(LENGTH)
        x = self.embedding(x) + self.position(positions)  # (batch, 128, 384)
        x = self.norm(self.blocks(x))
        return paddle.matmul(x, self.embedding.weight, transpose_y=True)  # (batch, 128, 256)


def loss(logits, y):
    return F.cross_entropy(logits.flatten(0, 1), y.flatten())


OPTIMIZERS = {
    "adamw": lambda parameters: paddle.optimizer.AdamW(
        1e-3, beta1=0.9, beta2=0.99, epsilon=1e-8, parameters=parameters, weight_decay=0.1
    ),
}

# Our names for what is packed here.
LEAVES = {
    "attention.qkv.weight": ("attention.query.kernel", "attention.key.kernel", "attention.value.kernel"),
    "attention.qkv.bias": ("attention.query.bias", "attention.key.bias", "attention.value.bias"),
}
