"""Image networks in Keras, TensorFlow and PyTorch

Do well-known image networks train at the same speed in three frameworks, each with its own reference code?
"""

from analysis.articles import Section

ORDER = 0
SOURCE = "Keras, TensorFlow and PyTorch on image networks (2017)"
WORKLOADS = ("vgg16", "vgg19", "resnet50", "inception_v3", "inception_resnet_v2")
SECTIONS = {
    "parameters": Section(
        published=["Parameters by model"],
        ours=["parameters"],
        workloads=WORKLOADS,
    ),
    "duration": Section(
        ours=["times"],
        workloads=WORKLOADS,
    ),
    "comparison": Section(
        published=[
            "Training time by framework (mean of 4 runs: Adam and SGD, batch 4 and 16)",
            "Mean training time over all model runs",
        ],
        ours=["means"],
        workloads=WORKLOADS,
    ),
    "first_epoch": Section(
        ours=["first"],
        workloads=WORKLOADS,
    ),
}
