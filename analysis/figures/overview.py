"""Time per step in each framework's default mode

One panel per workload: its first batch size and optimizer, each environment in the mode that it documents as the
default. Geometric mean over rounds with its 99 % interval on a logarithmic axis; further left is faster.
"""

from collections.abc import Sequence

from analysis import drawing
from analysis.drawing import Picture
from analysis.estimates import Estimates
from analysis.figures import step_time
from analysis.table import Results
from bench import registry

ORDER = 0
SCOPE = "machine"


def draw(results: Results, answers: Sequence[Estimates]) -> Picture:
    """Draw the first question of each workload, two panels in a row."""
    shown = [each for each in map(in_default_mode, first_questions(answers)) if each.measured]
    if not shown:
        return drawing.nothing("no competitor has a time in its default mode")
    with drawing.style():
        figure, panels = drawing.grid(len(shown), max(len(each.cells) for each in shown))
        for axes, each in zip(panels, shown, strict=True):
            step_time.panel(axes, results, each, title(each))
        drawing.mode_legend(figure)
    return Picture(
        figure, step_time.data(shown), ". ".join(f"{title(each)}: {step_time.sentence(each)}" for each in shown)
    )


def first_questions(answers: Sequence[Estimates]) -> list[Estimates]:
    """Return of each known workload, the lightest first, the question with its first batch size and optimizer."""
    found = []
    for name in registry.workload_names():
        problem = registry.workload(name)
        optimizers = [*problem.OPTIMIZERS, "none"]
        own = [each for each in answers if each.question.workload == name and each.question.optimizer in optimizers]
        own.sort(
            key=lambda each: (
                each.question.task != "train",
                optimizers.index(each.question.optimizer),
                each.question.batch_size,
            )
        )
        found.extend(own[:1])
    return found


def in_default_mode(answer: Estimates) -> Estimates:
    """Keep only competitors in their documented default mode."""
    return answer._replace(cells=[cell for cell in answer.cells if cell.is_default])


def title(answer: Estimates) -> str:
    """Return a panel's title: the workload's."""
    return str(registry.workload(answer.question.workload).__doc__).split("\n")[0]
