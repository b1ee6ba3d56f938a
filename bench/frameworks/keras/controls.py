"""What only Keras can say about itself."""

import itertools
import time
from types import SimpleNamespace

import keras


class Clock(keras.callbacks.Callback):
    """Reads the clock when the first batch begins and when the epoch has ended: Keras has the loss by then."""

    def on_train_batch_begin(self, batch, logs=None):
        if batch == 0:
            self.begun = time.perf_counter()

    def on_epoch_end(self, epoch, logs=None):
        self.seconds = time.perf_counter() - self.begun


def own_timer(program, batch):
    clock = Clock()

    def seconds_per_step(steps):
        batches = (each for each in itertools.repeat(batch))  # Keras takes a generator, and no other iterator
        program.model.fit(batches, steps_per_epoch=steps, epochs=1, callbacks=[clock], verbose=0)
        return clock.seconds / steps

    return "fit with a callback", seconds_per_step


def own_model(workload, source):
    if workload != "resnet50":
        return None
    made = SimpleNamespace(
        Model=lambda: keras.applications.ResNet50(weights=None, classes=120, classifier_activation=None),
        loss=source.loss,
        OPTIMIZERS=source.OPTIMIZERS,
    )
    return "keras.applications.ResNet50", made
