"""The articles whose networks are measured again. docs/articles/<name>.md is the page of each, written by hand.

A page includes the fragments that `parts` names. Standard library only: each build of the site reads this file.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Article(NamedTuple):
    """An article: its title, what it asked, and its networks in its own order, of which some may not be here."""

    title: str
    asked: str
    source: str  # its name in analysis/published
    workloads: Sequence[str]
    has_then: bool = False  # whether its own frameworks were measured here
    means: Mapping[str, tuple[str, Sequence[str]]] = {}  # kind and networks of each of its means (data/means.py)

    @property
    def parts(self) -> list[str]:
        """The names of its fragments, in the order of its page."""
        return ["claims", *(["then"] if self.has_then else []), "now"]


ZOO = ("vgg16", "vgg19", "resnet50", "inception_v3", "inception_resnet_v2")
ARTICLES = {
    "cnn_zoo": Article(
        "Image networks in Keras, TensorFlow and PyTorch",
        "Do well-known image networks train at the same speed in three frameworks, each with its own reference code?",
        "Keras, TensorFlow and PyTorch on image networks (2017)",
        ZOO,
        means={"comparison": ("means", ZOO), "first_epoch": ("first", ZOO)},
    ),
    "keras_backends": Article(
        "The fastest backend of Keras",
        "Which of the libraries that can run a Keras model trains the examples of Keras' own repository fastest?",
        "Search for the fastest Deep Learning Framework supported by Keras (2017)",
        ("keras_cifar10_cnn", "mnist_cnn", "mnist_mlp", "mnist_hrnn", "babi_rnn"),
        has_then=True,
    ),
    "input_pipelines": Article(
        "Feeding images to a network",
        "How much of a training's time is the network, and how much is reading and decoding its images?",
        "Tensorflow vs. Keras or how to speed up your training for image data sets by factor 10 (2019)",
        ("efficientnet_b3", "photo_cnn", "resnet50"),  # the article's, and what else is fed
    ),
    "rosetta_stone": Article(
        "The Rosetta Stone of frameworks",
        "Does the same task, written in each framework as its community would write it, take the same time?",
        "Deep Learning Framework Examples: a Rosetta Stone (2018)",
        ("cifar10_cnn", "densenet121", "resnet50_features", "imdb_gru", "imdb_gru_reset_before"),
        has_then=True,
        means={"densenet121": ("first", ("densenet121",))},
    ),
    "torch_or_keras": Article(
        "Why PyTorch may take longer than Keras",
        "Is a training step in PyTorch slower because nothing compiles it, and does compiling it make up for that?",
        "Why is Torch taking 4 times longer than Keras? (2025)",
        ("linear", "bn_mlp", "lstm_forecast", "lstm_forecast_loop"),
    ),
}
