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
        figures=["step_time"],
        workloads=WORKLOADS,
        gaps=["The article prints its timing code and no time; its one number is among its claims above."],
    ),
    "stopwatch": Section(figures=["ten_steps"], workloads=WORKLOADS),
    "modes": Section(ours=["modes"], figures=["eager_and_compiled"], workloads=WORKLOADS),
}
