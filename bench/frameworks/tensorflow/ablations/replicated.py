import tensorflow as tf

from bench.ablations import replicated

LOCAL_NORM = ("TensorFlow",)  # backends where a batch norm sees the share of its device alone


def _strategy():
    """Return the strategy that mirrors on GPUs, or on as many devices of the CPU, with threads for each."""
    number = replicated.devices(len(tf.config.get_visible_devices("GPU")))
    if tf.config.get_visible_devices("GPU"):
        return tf.distribute.MirroredStrategy(["GPU:%d" % place for place in range(number)])
    cpu, threading = tf.config.list_physical_devices("CPU")[0], tf.config.threading
    if not tf.config.get_logical_device_configuration(cpu):  # before the first use
        threading.set_intra_op_parallelism_threads(number * threading.get_intra_op_parallelism_threads())
        threading.set_inter_op_parallelism_threads(number)
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * number)
    devices = ["CPU:%d" % place for place in range(number)]
    return tf.distribute.MirroredStrategy(devices, tf.distribute.ReductionToOneDevice())


class Mirrored:
    """What a class of programs is joined with: `strategy` mirrors the weights, and splits each batch."""

    def __init__(self, *about):
        self.run, self.local = self.strategy.run, self.strategy.experimental_local_results
        with self.strategy.scope():
            super().__init__(*about)
        self.made, self.graph, self.step = {}, self.step, self._step

    def place(self, x, y):
        batch = super().place(x, y)

        def share(context):
            place, number = context.replica_id_in_sync_group, context.num_replicas_in_sync
            with tf.device(self.strategy.extended.worker_devices[place]):
                return tf.nest.map_structure(lambda each: tf.identity(tf.split(each, number)[place]), batch)

        return self.strategy.experimental_distribute_values_from_function(share)

    def scale_learning_rate(self, factor):  # float() of a mirrored variable fails
        self.optimizer.learning_rate = self.optimizer.learning_rate.numpy() * factor

    def _step(self, batch):
        self.losses = self.graph(batch)
        return self.losses

    def _train(self, batch):
        return self.run(self._train_replica, (batch,))

    def _train_replica(self, batch):
        loss = super()._train(batch)
        self.made[loss.device] = len(batch[1])  # a graph says so when it is traced, once for each replica
        return loss

    def _forward_backward(self, batch):
        if tf.distribute.has_strategy():  # in a replica, whose loss Keras divides by the number of replicas
            return super()._forward_backward(batch)
        outputs, loss, gradients = self.run(super()._forward_backward, (batch,))
        local, add = self.local, tf.add_n
        return tf.concat(local(outputs), 0), add(local(loss)), [add(local(each)) for each in gradients]

    def _forward(self, batch):
        return tf.concat(self.local(self.run(super()._forward, (batch,))), 0)

    def wait(self, handle):
        return sum(map(float, self.local(handle)))

    def shares(self):
        return {device: examples for (device, examples), _ in zip(self.made.items(), self.local(self.losses))}


def vary(program, source):
    return type("Replicated", (Mirrored, program), {"strategy": _strategy()}), source
