"""One file per figure: the docstring is title and caption, `draw(results, answers)` returns a drawing.Picture.

`answers` are the estimates that the figure is about, all of one machine. SCOPE says which, and where it is shown:
"workload" (a workload's; on its page), "machine" (all; on the home page), "article" (those of an article's workloads;
in the sections that name it, in analysis/articles). TASKS names the tasks where they are not steps on one batch; with
AMONG_DEFAULTS, documented modes compete among themselves, as on the home page. `results` hold the runs of these answers
and the looks of their environments, nothing else: a figure is drawn again when one of these changes. The first sentence
of a picture's words is its finding: pages open with it.
"""

from types import ModuleType

from analysis import plugins


def found() -> dict[str, ModuleType]:
    """Return every figure's module by its name, in the order of their ORDER."""
    return plugins.modules(__name__)
