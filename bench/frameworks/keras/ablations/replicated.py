import keras

from bench.ablations import replicated
from bench.worker import replicas

VARIABLES = {"JAX_NUM_CPU_DEVICES": "{number}"}


def on_jax(program):
    """Let fit spread each batch by keras.distribution.DataParallel."""
    import jax

    kind, layout_of = jax.config.jax_default_device.platform, keras.distribution.DataParallel.get_data_layout

    class Recording(keras.distribution.DataParallel):
        def get_data_layout(self, shape):
            self.last = layout_of(self, shape).backend_layout, shape
            return layout_of(self, shape)

    number = replicated.devices(jax.device_count(kind) if kind == "gpu" else 0)
    spread = keras.distribution.distribution() or Recording(devices=keras.distribution.list_devices(kind)[:number])
    keras.distribution.set_distribution(spread)

    class Replicated(program):
        def gradients(self, batch):
            def split(each):
                return jax.device_put(each, layout_of(spread, each.shape).backend_layout)

            return super().gradients(jax.tree.map(split, batch))

        def shares(self):
            layout, shape = spread.last
            hold = set.intersection(*(weight.value.sharding.device_set for weight in self.model.trainable_variables))
            return {str(device): layout.shard_shape(shape)[0] for device in layout.device_set & hold}

    return Replicated


def _strategy():
    """Return the strategy that mirrors on GPUs, or on as many devices of the CPU, with threads for each."""
    import tensorflow as tf

    gpus, cpu = tf.config.get_visible_devices("GPU"), tf.config.list_physical_devices("CPU")[0]
    number = replicated.devices(len(gpus))
    if gpus:
        return tf.distribute.MirroredStrategy(["GPU:%d" % place for place in range(number)])
    if not tf.config.get_logical_device_configuration(cpu):  # before the first use
        threads = tf.config.threading.get_intra_op_parallelism_threads()
        tf.config.threading.set_intra_op_parallelism_threads(number * threads)
        tf.config.threading.set_inter_op_parallelism_threads(number)
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * number)
    devices = ["CPU:%d" % place for place in range(number)]
    return tf.distribute.MirroredStrategy(devices, tf.distribute.ReductionToOneDevice())


def on_tensorflow(program):
    """Let fit mirror the model by tf.distribute.MirroredStrategy."""
    import tensorflow as tf

    strategy = _strategy()
    local = strategy.experimental_local_results

    class Replicated(program):
        def __init__(self, source, task, *about):
            with strategy.scope():
                super().__init__(source, task, *about)
            if task == "train":
                self.own_gradients, self.forward_backward = self.forward_backward, self._forward_backward

        def scale_learning_rate(self, factor):  # float() of a mirrored variable fails
            self.model.optimizer.learning_rate = self.model.optimizer.learning_rate.numpy() * factor

        def _loop(self, batch, steps, clock):
            super()._loop(batch, steps, clock)  # whose loss is of the first replica's share
            self.steps = steps
            return float(self.model.metrics[0].result())

        def _forward_backward(self, *batch):
            def share(context):
                place, number = context.replica_id_in_sync_group, context.num_replicas_in_sync
                return tf.nest.map_structure(lambda each: tf.split(each, number)[place], batch)

            shares = strategy.experimental_distribute_values_from_function(share)
            outputs, loss, gradients = strategy.run(self.own_gradients, shares)
            return tf.concat(local(outputs), 0), tf.add_n(local(loss)), [tf.add_n(local(each)) for each in gradients]

        def outputs(self, batch):
            return super().outputs(batch)[: len(batch[1])]  # each replica predicts the whole batch

        def _predict(self, batch):
            return self.outputs(batch).sum()

        def shares(self):
            counts = local(self.model.metrics[0].count.value)  # of examples, which each replica counts in a call of fit
            return {count.device: float(count) / self.steps for count in counts}

    return Replicated


def on_torch(program):
    """Train by hand, as Keras' guide to PyTorch does: fit does not distribute there."""
    import torch
    from torch.nn.parallel import DistributedDataParallel

    class ByHand(program):
        def __init__(self, source, task, *about):
            super().__init__(source, task, *about)
            if task == "train":
                del self.loop, self.fit
                self.step, self.forward_backward = self._step_by_hand, self._forward_backward

        def _forward_backward(self, x, y):
            self.model.zero_grad()
            outputs = self.trained(x, training=True)
            loss = self.source.loss(y, outputs)
            loss.backward()
            return outputs.detach(), loss.detach(), [weight.value.grad for weight in self.model.trainable_variables]

        def _step_by_hand(self, batch):
            _, loss, gradients = self._forward_backward(*batch)
            with torch.no_grad():
                self.model.optimizer.apply(gradients, self.model.trainable_variables)
            return loss

    def join(program, group):
        if not torch.distributed.is_initialized():
            backend = "nccl" if next(program.model.parameters()).is_cuda else "gloo"
            store = "file://%s/store" % group.folder
            torch.distributed.init_process_group(backend, store, rank=group.rank, world_size=group.size)
        parallel = program.trained = DistributedDataParallel(program.model)
        program.communication_s = lambda: parallel._get_ddp_logging_data()["backward_comm_time"] / 1e9

    return replicas.by_processes(ByHand, torch.cuda.device_count(), join)


WAYS = {"jax": on_jax, "tensorflow": on_tensorflow, "torch": on_torch}
LOCAL_NORM = ("TensorFlow", "PyTorch")  # backends where a batch norm sees the share of its device alone


def vary(program, source):
    return WAYS[keras.backend.backend()](program), source
