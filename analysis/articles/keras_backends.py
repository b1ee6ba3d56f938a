"""The fastest backend of Keras

Which of the libraries that can run a Keras model trains the examples of Keras' own repository fastest?
"""

from analysis.articles import Section

ORDER = 1
SOURCE = "Search for the fastest Deep Learning Framework supported by Keras (2017)"
WORKLOADS = ("keras_cifar10_cnn", "mnist_cnn", "mnist_mlp", "mnist_hrnn", "babi_rnn")
HAS_THEN = True


def _test(workload: str, *published: str) -> Section:
    return Section(published, ["times", "scores", "loops"], [workload])


SECTIONS = {
    "keras_cifar10_cnn": _test("keras_cifar10_cnn"),
    "mnist_cnn": _test("mnist_cnn"),
    "mnist_mlp": _test("mnist_mlp", "3. MNIST MLP"),
    "mnist_hrnn": _test("mnist_hrnn", "4. MNIST RNN (hierarchical)"),
    "babi_rnn": _test("babi_rnn", "5. bAbI RNN"),
}
