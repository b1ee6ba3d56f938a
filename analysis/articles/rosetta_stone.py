"""The Rosetta Stone of frameworks

Does the same task, written in each framework as its community would write it, take the same time?
"""

from analysis.articles import Section

ORDER = 3
SOURCE = "Deep Learning Framework Examples: a Rosetta Stone (2018)"
WORKLOADS = ("cifar10_cnn", "densenet121", "resnet50_features", "imdb_gru", "imdb_gru_reset_before")
HAS_THEN = True
SECTIONS = {
    "cifar10_cnn": Section(
        ["1. Training time: CNN on CIFAR-10", "1. Accuracy in the notebook: CNN on CIFAR-10"],
        ["totals", "times", "scores"],
        ["cifar10_cnn"],
    ),
    "densenet121": Section(
        [
            "2a. Training and validation, real data, DenseNet-121 on ChestXRay",
            "2a. Area under the curve in the notebook: DenseNet-121 on ChestXRay",
        ],
        ["totals", "scores", "first"],
        ["densenet121"],
    ),
    "densenet121_synthetic": Section(["2b. Training, synthetic data in RAM, DenseNet-121"], ["times"], ["densenet121"]),
    "resnet50_features": Section(
        ["3. Average time for 1000 images: ResNet-50 feature extraction"],
        ["times"],
        ["resnet50_features"],
        per_samples=1000,
    ),
    "imdb_gru": Section(
        ["4. Training time: RNN (GRU) on IMDB", "4. Accuracy in the notebook: RNN (GRU) on IMDB"],
        ["totals", "times", "scores"],
        ["imdb_gru", "imdb_gru_reset_before"],
    ),
}
