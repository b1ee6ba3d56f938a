"""Why PyTorch may take longer than Keras

Is a training step in PyTorch slower because nothing compiles it, and does compiling it make up for that?
"""

from analysis.articles import Section

ORDER = 4
SOURCE = "Why is Torch taking 4 times longer than Keras? (2025)"
WORKLOADS = ("linear", "bn_mlp", "lstm_forecast", "lstm_forecast_loop")
SECTIONS = {
    "steps": Section(
        ours=["times"],
        workloads=WORKLOADS,
    ),
    "modes": Section(ours=["modes"], workloads=WORKLOADS),
}
