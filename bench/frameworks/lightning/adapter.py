"""Lightning: how its Trainer, or a loop with its Fabric, trains PyTorch's model files.

pytorch.py, a link, maps their tensors and infers.
"""

import itertools
import logging
import os

import lightning
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

from bench import registry
from bench.measure import Clock

HERE = os.path.dirname(os.path.abspath(__file__))
pytorch = registry.load_module(os.path.join(HERE, "pytorch.py"), "bench_lightning_pytorch")

OUT_OF_MEMORY = pytorch.OUT_OF_MEMORY
devices = pytorch.devices
configure = pytorch.configure
peak_memory_bytes = pytorch.peak_memory_bytes
forget_peak = pytorch.forget_peak

logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)  # each new Trainer would list devices


def loaded():
    return {"lightning": lightning.__version__, **pytorch.loaded()}


def _on_host(value):
    """Return an array as a tensor in the host's memory, images channels first."""
    tensor = torch.as_tensor(value)
    return tensor.permute(0, 3, 1, 2).contiguous() if tensor.ndim == 4 else tensor


class Module(lightning.LightningModule):
    """A model file as a Trainer takes it; its optimiser keeps its state from one fit to the next."""

    def __init__(self, model, loss, optimizer):
        super().__init__()
        self.model = model
        self.loss = loss
        self.optimizer = optimizer

    def training_step(self, batch, batch_idx):
        *inputs, y = batch
        return self.loss(self.model(*inputs), y)

    def configure_optimizers(self):
        return self.optimizer


class Timed(lightning.Callback):
    """Reads the clock when the first step of an epoch begins, and when the loss of the last step is available."""

    def __init__(self, steps, clock):
        self.last, self.clock = steps - 1, clock
        self.losses = []

    def on_train_batch_start(self, trainer, module, batch, batch_idx):
        if batch_idx == 0:
            self.clock.begin()

    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        self.losses.append(outputs["loss"])
        if batch_idx == self.last:
            outputs["loss"].item()
            self.clock.end()


class Program(pytorch.Program):
    """A PyTorch model whose training steps are made by Trainer.fit, or by a loop with Fabric."""

    def __init__(self, source, task, mode, optimizer, x):
        super().__init__(source, task, "eager", optimizer, x)
        if task == "train" and mode == "fabric":
            self.fabric = lightning.Fabric(accelerator=pytorch.where.device.type, devices=1)
            self.run, self.optimizer = self.fabric.setup(self.model, self.optimizer)
            self.step = self._fabric_step
        elif task == "train":
            self.module = Module(self.model, source.loss, self.optimizer)
            self.loop, self.fit, self.step = self._loop, self._fit, self._step

    def _fabric_step(self, batch):
        inputs, y = batch
        self.optimizer.zero_grad()
        loss = self.source.loss(self.run(*inputs), y)
        self.fabric.backward(loss)
        self.optimizer.step()
        return loss

    def _epoch(self, batches, steps, clock):
        """Train one epoch, which has `steps` batches; return the mean loss."""
        timed = Timed(steps, clock)
        trainer = lightning.Trainer(
            accelerator=pytorch.where.device.type,
            devices=1,
            max_epochs=1,
            callbacks=[timed],
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
        )
        trainer.fit(self.module, batches)
        self.model.to(pytorch.where.device)  # fit moves it to the CPU at its end
        return torch.stack(timed.losses).mean().item()

    def _loop(self, batch, steps, clock):
        inputs, y = batch
        return self._epoch(itertools.repeat([*inputs, y], steps), steps, clock)

    def _fit(self, x, y, batch_size):
        inputs = x if isinstance(x, tuple) else (x,)
        y = y.astype(np.int64) if y.dtype == np.int32 else y
        batches = DataLoader(TensorDataset(*map(_on_host, [*inputs, y])), batch_size)
        return self._epoch(batches, len(batches), Clock())

    def _step(self, batch):
        return self._loop(batch, 1, Clock())

    def wait(self, handle):
        return float(handle)
