import mlx.optimizers as optim
from mlx import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.story_embedding = nn.Embedding(36, 50)
        self.dropout1 = nn.Dropout(0.3)
        self.question_embedding = nn.Embedding(36, 50)
        self.dropout2 = nn.Dropout(0.3)
        self.question_lstm = nn.LSTM(50, 50)
        self.story_lstm = nn.LSTM(50, 50)
        self.dropout3 = nn.Dropout(0.3)
        self.head = nn.Linear(50, 36)

    def __call__(self, story, question):  # (batch, 552), (batch, 5)
        story = self.dropout1(self.story_embedding(story))  # (batch, 552, 50)
        question = self.dropout2(self.question_embedding(question))  # (batch, 5, 50)
        outputs, _ = self.question_lstm(question)
        x = story + outputs[:, -1:]  # the question's last output is added to every word
        outputs, _ = self.story_lstm(x)
        return self.head(self.dropout3(outputs[:, -1]))


def loss(logits, y):
    return nn.losses.cross_entropy(logits, y, reduction="mean")


OPTIMIZERS = {
    "adam": lambda: optim.Adam(1e-3, betas=[0.9, 0.999], eps=1e-7, bias_correction=True),
}
