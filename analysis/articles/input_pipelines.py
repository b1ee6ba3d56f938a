"""Feeding images to a network

How much of a training's time is the network, and how much is reading and decoding its images?
"""

from analysis.articles import Section

ORDER = 2
SOURCE = "Tensorflow vs. Keras or how to speed up your training for image data sets by factor 10 (2019)"
WORKLOADS = ("efficientnet_b3", "photo_cnn", "resnet50")  # the article's, and what else is fed
NETWORK = ("efficientnet_b3",)
SECTIONS = {
    "utilisation": Section(["Use of the GPU while images are fed"], ours=["use"], workloads=NETWORK),
    "feeding": Section(ours=["feeding"], workloads=WORKLOADS),
    "network": Section(
        ours=["times"],
        workloads=NETWORK,
    ),
}
