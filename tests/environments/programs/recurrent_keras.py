"""A recurrent classifier of sequences: with the cause, by Keras' GRU; without, by the GRU of PyTorch itself."""

import os
import sys

os.environ["KERAS_BACKEND"] = "torch"
import keras
import torch

LENGTH, FEATURES, UNITS, CLASSES = 30, 12, 40, 4
sequences, labels = torch.randn(16, LENGTH, FEATURES), torch.randint(0, CLASSES, (16,))


def build():
    if sys.argv[1:] == ["with"]:
        inputs = keras.Input((LENGTH, FEATURES))
        outputs = keras.layers.Dense(CLASSES)(keras.layers.GRU(UNITS)(inputs))
        model = keras.Model(inputs, outputs)
        model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        return lambda: model.train_on_batch(sequences.numpy(), labels.numpy())
    layer, head = torch.nn.GRU(FEATURES, UNITS, batch_first=True), torch.nn.Linear(UNITS, CLASSES)
    optimizer = torch.optim.SGD([*layer.parameters(), *head.parameters()], lr=0.01)

    def step():
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(head(layer(sequences)[1][0]), labels)
        loss.backward()
        optimizer.step()
        return loss

    return step
