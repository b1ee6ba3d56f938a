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
        figures=["parameters_and_time"],
        workloads=WORKLOADS,
    ),
    "duration": Section(
        ours=["times"],
        figures=["time_by_model"],
        workloads=WORKLOADS,
        gaps=["The article shows the times by model, batch size and optimiser in charts only, without numbers."],
    ),
    "comparison": Section(
        published=[
            "Training time by framework (mean of 4 runs: Adam and SGD, batch 4 and 16)",
            "Mean training time over all model runs",
        ],
        ours=["means"],
        figures=["mean_time"],
        workloads=WORKLOADS,
    ),
    "first_epoch": Section(
        ours=["first"],
        figures=["first_epoch"],
        workloads=WORKLOADS,
        gaps=["The article shows the first epoch in a chart only; what its text says of it is among its claims above."],
    ),
}
