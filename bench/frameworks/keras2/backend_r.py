"""Keras 2 on TensorFlow 1, from R: functions of R (steps.R) train and predict.

worker.R starts R, which embeds this Python. A step copies its batch into R arrays, as R does when it slices a batch.
"""

import os

import __main__  # worker.R puts `source` there
from bench import registry

HERE = os.path.dirname(os.path.abspath(__file__))
os.environ["KERAS_BACKEND"] = os.environ["KERAS_UNDER_R"]  # Keras reads it when it is imported
tensorflow = registry.load_module(os.path.join(HERE, "backend_tensorflow.py"), "bench_keras2_backend_tensorflow")

from keras import models  # noqa: E402

OUT_OF_MEMORY = tensorflow.OUT_OF_MEMORY
IMAGES = tensorflow.IMAGES
loaded = tensorflow.loaded
turned = tensorflow.turned
backward = tensorflow.backward
steps = __main__.source(os.path.join(HERE, "steps.R"))


class FromR(models.Sequential):
    """A model whose methods are called by R: `super()` is the model without them."""

    def train_on_batch(self, x, y):
        return steps["train"](super(), x, y)

    def predict_on_batch(self, x):
        return steps["predict"](super(), x)

    def fit(self, x, y, **options):
        return steps["fit"](super(), x, y, **options)


def configure(threads):
    tensorflow.configure(threads)
    models.Sequential = FromR  # model files import it later
