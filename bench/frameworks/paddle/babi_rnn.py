import paddle
import paddle.nn.functional as F
from paddle import nn

# For parity alone: the others have no second bias. A frozen one ends backward() with an error (upstream/).
NO_SECOND_BIAS = paddle.ParamAttr(initializer=nn.initializer.Constant(0.0), learning_rate=0.0)


class Model(nn.Layer):
    def __init__(self):
        super().__init__()
        self.story_embedding = nn.Embedding(36, 50)
        self.dropout1 = nn.Dropout(0.3)
        self.question_embedding = nn.Embedding(36, 50)
        self.dropout2 = nn.Dropout(0.3)
        self.question_lstm = nn.LSTM(50, 50, bias_hh_attr=NO_SECOND_BIAS)
        self.story_lstm = nn.LSTM(50, 50, bias_hh_attr=NO_SECOND_BIAS)
        self.dropout3 = nn.Dropout(0.3)
        self.head = nn.Linear(50, 36)

    def forward(self, story, question):  # (batch, 552), (batch, 5)
        story = self.dropout1(self.story_embedding(story))  # (batch, 552, 50)
        question = self.dropout2(self.question_embedding(question))  # (batch, 5, 50)
        _, (last, _) = self.question_lstm(question)  # (1, batch, 50): the last output
        x = story + last[-1].unsqueeze(1)  # the question is added to every word
        _, (last, _) = self.story_lstm(x)
        return self.head(self.dropout3(last[-1]))


loss = F.cross_entropy

OPTIMIZERS = {
    "adam": lambda parameters: paddle.optimizer.Adam(1e-3, beta1=0.9, beta2=0.999, epsilon=1e-7, parameters=parameters),
}
