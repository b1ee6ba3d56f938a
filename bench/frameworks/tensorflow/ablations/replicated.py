import tensorflow as tf

from bench.ablations import replicated

LOCAL_NORM = ("TensorFlow",)  # backends where a batch norm sees the share of its device alone


def _strategy(number):
    """Return the strategy that mirrors on so many GPUs, or on as many devices of the CPU, with threads for each."""
    if tf.config.get_visible_devices("GPU"):
        return tf.distribute.MirroredStrategy(["GPU:%d" % place for place in range(number)])
    cpu, threading = tf.config.list_physical_devices("CPU")[0], tf.config.threading
    if not tf.config.get_logical_device_configuration(cpu):  # before the first use
        threading.set_intra_op_parallelism_threads(number * threading.get_intra_op_parallelism_threads())
        threading.set_inter_op_parallelism_threads(number)
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * number)
    devices = ["CPU:%d" % place for place in range(number)]
    return tf.distribute.MirroredStrategy(devices, tf.distribute.ReductionToOneDevice())


def _shared(strategy, batch):
    """Return a batch of which each device of a strategy has its share."""

    def share(context):
        place = context.replica_id_in_sync_group
        with tf.device(strategy.extended.worker_devices[place]):
            return tf.nest.map_structure(
                lambda each: tf.identity(tf.split(each, context.num_replicas_in_sync)[place]), batch
            )

    return strategy.experimental_distribute_values_from_function(share)


def vary(program, source):  # noqa: C901 - it counts the methods of the class
    number = replicated.devices(len(tf.config.get_visible_devices("GPU")))
    strategy = _strategy(number)
    local = strategy.experimental_local_results

    class Replicated(program):
        def __init__(self, *about):
            with strategy.scope():
                super().__init__(*about)
            self.made, self.graph, self.step = {}, self.step, self._step

        def place(self, x, y):
            return _shared(strategy, super().place(x, y))

        def scale_learning_rate(self, factor):  # float() of a mirrored variable fails
            self.optimizer.learning_rate = self.optimizer.learning_rate.numpy() * factor

        def _step(self, batch):
            self.losses = self.graph(batch)
            return self.losses

        def _train(self, batch):
            return strategy.run(self._replica, (batch,))

        def _replica(self, batch):
            loss = program._train(self, batch)
            self.made[loss.device] = len(batch[1])  # a graph says so when it is traced, once for each replica
            return loss

        def _forward_backward(self, batch):
            if tf.distribute.has_strategy():  # in a replica, whose loss Keras divides by the number of replicas
                return super()._forward_backward(batch)
            outputs, loss, gradients = strategy.run(program._forward_backward, (self, batch))
            return tf.concat(local(outputs), 0), tf.add_n(local(loss)), [tf.add_n(local(each)) for each in gradients]

        def _forward(self, batch):
            return tf.concat(local(strategy.run(program._forward, (self, batch))), 0)

        def wait(self, handle):
            return sum(map(float, local(handle)))

        def shares(self):
            return {device: examples for (device, examples), _ in zip(self.made.items(), local(self.losses))}

    return Replicated, source
