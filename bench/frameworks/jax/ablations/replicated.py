import jax
import numpy as np
from flax import nnx
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from bench.ablations import replicated

VARIABLES = {"JAX_NUM_CPU_DEVICES": "{number}"}


def vary(program, source):
    kind = jax.config.jax_default_device.platform
    number = replicated.devices(jax.device_count(kind) if kind == "gpu" else 0)
    mesh = Mesh(np.array(jax.devices(kind)[:number]), ("batch",))
    replicate, split = NamedSharding(mesh, PartitionSpec()), NamedSharding(mesh, PartitionSpec("batch"))

    class Replicated(program):
        def load(self, weights):
            super().load(weights)
            for each in (self.model, self.optimizer) if hasattr(self, "optimizer") else (self.model,):
                nnx.update(each, jax.device_put(nnx.state(each), replicate))

        def place(self, x, y):
            return jax.device_put(super().place(x, y), split)

        def _train(self, batch):
            self.labels = batch[1]
            return super()._train(batch)

        def shares(self):
            self._sync()
            weights = jax.tree.leaves(nnx.state(self.model, nnx.Param))
            hold = set.intersection(*(weight.sharding.device_set for weight in weights))
            return {str(part.device): len(part.data) for part in self.labels.addressable_shards if part.device in hold}

    return Replicated, source
