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
    "feeding": Section(ours=["feeding"], figures=["more_workers", "cores_at_work"], workloads=WORKLOADS),
    "network": Section(
        ours=["times"],
        figures=["step_time", "throughput_by_batch"],
        workloads=NETWORK,
        gaps=[
            "The article gives no time of a step or an epoch, only how much of the device was used.",
            "Each time below is of a batch that lies ready on the device.",
        ],
    ),
}
