"""The question's last output is added to every word of the story."""


def forward(net, x):
    """Return (batch, 36) of a story (batch, 552) and a question (batch, 5)."""
    story, question = net.embedding(x[0], "story_embedding"), net.embedding(x[1], "question_embedding")
    asked = net.lstm(question, "question_lstm")[:, -1]
    return net.dense(net.lstm(story + asked[:, None], "story_lstm")[:, -1], "head")
