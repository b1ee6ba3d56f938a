import torch
import torch.nn.functional as F
from torch import nn


def lstm(inputs, units):
    layer = nn.LSTM(inputs, units, batch_first=True)
    nn.init.zeros_(layer.bias_hh_l0).requires_grad_(False)  # for parity alone: the others have no second bias
    return layer


class Model(nn.Module):
    def __init__(self):
        super(Model, self).__init__()
        self.story_embedding = nn.Embedding(36, 50)
        self.dropout1 = nn.Dropout(0.3)
        self.question_embedding = nn.Embedding(36, 50)
        self.dropout2 = nn.Dropout(0.3)
        self.question_lstm = lstm(50, 50)
        self.story_lstm = lstm(50, 50)
        self.dropout3 = nn.Dropout(0.3)
        self.head = nn.Linear(50, 36)

    def forward(self, story, question):  # (batch, 552), (batch, 5)
        story = self.dropout1(self.story_embedding(story))  # (batch, 552, 50)
        question = self.dropout2(self.question_embedding(question))  # (batch, 5, 50)
        _, (last, _) = self.question_lstm(question)  # (1, batch, 50): the last output
        x = story + last[-1][:, None]  # the question is added to every word
        _, (last, _) = self.story_lstm(x)
        return self.head(self.dropout3(last[-1]))


loss = F.cross_entropy

# PyTorch 1.0 adds epsilon before the bias correction, later ones after it: 1e-8 there acts as 1e-7 here, at step 10.
EPSILON = 1e-8 if torch.__version__.startswith("1.0.") else 1e-7

OPTIMIZERS = {
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=1e-3, betas=(0.9, 0.999), eps=EPSILON),
}
