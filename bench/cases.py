"""A case is one thing to measure; this module names cases and lists those that a selection asks for."""

import re
from functools import lru_cache
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from bench import ablations, registry
from bench.errors import DefinitionError

STEPS = ("train", "infer")  # on one random batch
EPOCHS = ("epochs", "fit")  # over a data set: step by step, or by the framework's own loop
FED = (ablations.FEEDING,)  # on photographs, from a loader or one batch in memory: loaders are stated as ablations are
TASKS = STEPS + EPOCHS + FED
TIERS = ("documented", "matched", "tuned")
LESSONS, PIPELINES = "lessons", "pipelines"  # suites: what the ablations change, and the loaders, beside what it is of
SUITES = {LESSONS: STEPS + EPOCHS, PIPELINES: FED}
SUITE_BUDGET_S = {LESSONS: 900.0, PIPELINES: 600.0}  # of six environments on two cores: two or three rounds
SUITE_ROUNDS = 3  # at least: as few as give an interval, for a suite has many competitors, and campaigns add up
PHOTOGRAPHS = 64  # of a pass, unless more are asked for
# The batches that a GPU is bought for come before those of a workload's source: of large images, of all else; and one
# example at once, whose time is the latency, beside a full batch.
LARGE_PIXELS = 128  # of a side
LARGE_ON_GPU, SMALL_ON_GPU, INFERRED_ON_GPU = (128, 256), (512, 4096), (1, 128)
# Dense, recurrent and convolutional, each the lightest of its kind: what a machine is verified with, a budget's first.
SHORT = ("mnist_mlp", "imdb_gru", "keras_cifar10_cnn")
SHORT_OVER_DATA = ("mnist_mlp",)  # and what of it over data as well, whose way to the device is as long as its steps
SHORT_BUDGET_S = 600.0  # holds the fewest rounds of it in six environments on two cores


class Data(NamedTuple):
    """What a run reads; its text is part of a case: `random`, `mnist`, `mnist-stand-in`, cut: `mnist-stand-in-300`."""

    name: str  # of a data set, or "random": one random batch
    is_stand_in: bool = False
    examples: Optional[int] = None  # so many of its training half; None: all

    @property
    def text(self) -> str:
        """The name that keeps a stand-in, and each size, from being taken for the data set itself."""
        return self.name + ("-stand-in" if self.is_stand_in else "") + ("-%d" % self.examples if self.examples else "")


def read_data(text: str) -> Data:
    """Return what a case's field `data` names; raises DefinitionError for what `Data.text` does not give."""
    found = re.fullmatch(r"([a-z0-9_]+)(-stand-in)?(?:-([1-9][0-9]{0,8}))?", text)
    if not found:
        raise DefinitionError("expected the name of data like mnist-stand-in-300, got %r" % text)
    return Data(found.group(1), bool(found.group(2)), int(found.group(3)) if found.group(3) else None)


class Case(NamedTuple):
    """workload x environment x task x mode x precision x layout x device x batch size x optimizer x tier x data."""

    workload: str
    environment: str
    task: str
    mode: str
    precision: str
    layout: str
    device: str
    batch_size: int
    optimizer: str  # "none" for inference
    tier: str
    data: str  # the text of a `Data`

    @property
    def id(self) -> str:
        """A readable name that is unique among cases, usable in a command line."""
        parts = list(self)
        parts[7] = "b%d" % self.batch_size
        return "/".join(parts)

    @property
    def question(self) -> str:
        """What all its competitors have in common: cases with one question are compared with each other."""
        parts = (self.workload, self.task, self.precision, self.device, "b%d" % self.batch_size, self.optimizer)
        return "/".join(parts + (self.tier, self.data))


class Selection(NamedTuple):
    """What the user asked for; an empty sequence means everything."""

    workloads: Sequence[str] = ()
    environments: Sequence[str] = ()
    modes: Sequence[str] = ()
    tasks: Sequence[str] = ()  # nothing means: training, and inference of what is not trained
    over_data: Sequence[str] = ()  # workloads that are then trained over data as well
    precisions: Sequence[str] = ()  # nothing means: strict fp32, and on a GPU a framework's default as well
    batch_sizes: Sequence[int] = ()  # any; nothing means those that a workload states
    optimizers: Sequence[str] = ()
    is_real: bool = False  # epochs over downloaded data sets; else over their stand-ins
    images: str = ""  # a folder of one's own that is fed; none: generated photographs
    examples: Optional[int] = None  # of a data set's training half that epochs train on, or that are fed; None: all
    first_only: bool = False  # only a workload's first batch size and first optimizer
    tiers: Sequence[str] = ()  # nothing means: documented, or the own tier of each mode that is named
    documented_only: bool = False  # only the mode that an environment's framework documents first
    suite: str = ""  # of what else there is to measure


def _chosen(wanted, known, what):
    unknown = [item for item in wanted if item not in known]
    if unknown:
        raise DefinitionError(
            "There is no %s %s; choose from: %s." % (what, ", ".join(map(repr, unknown)), ", ".join(map(str, known)))
        )
    return [item for item in known if not wanted or item in wanted]


def _sizes(problem, task, device, selection):
    if selection.batch_sizes:
        return sorted(set(selection.batch_sizes))
    sizes = usual_sizes(problem, task, device)
    return sizes[:1] if selection.first_only else sizes


@lru_cache(maxsize=None)
def usual_sizes(problem: Any, task: str, device: str) -> Tuple[int, ...]:
    """Return the batch sizes that a workload is asked for on a device, the usual one first."""
    sizes = tuple(problem.BATCH_SIZES)
    if device != "gpu":
        return sizes
    usual = _gpu_sizes(problem, task)
    return usual + tuple(size for size in sizes if size not in usual)


def _gpu_sizes(problem, task):
    if task == "infer":
        return INFERRED_ON_GPU
    import numpy as np  # here, because the user's own interpreter reads requests without it

    x = problem.batch(np.random.RandomState(0), 1)[0]
    is_large = not isinstance(x, tuple) and x.ndim == 4 and x.shape[1] >= LARGE_PIXELS
    return LARGE_ON_GPU if is_large else SMALL_ON_GPU


def _tasks(workload, problem, selection):
    if not (selection.tasks or selection.suite):
        return ["train" if problem.OPTIMIZERS else "infer"] + ["epochs"] * (workload in selection.over_data)
    needs = {"train": problem.OPTIMIZERS, "infer": True, "feed": problem.OPTIMIZERS}
    over_data = problem.OPTIMIZERS and hasattr(problem, "DATASET")
    tasks = [task for task in _chosen(selection.tasks, TASKS, "task") if needs.get(task, over_data)]
    return [task for task in tasks if task in SUITES.get(selection.suite, TASKS)]


def _data(workload, problem, task, selection):
    if task in STEPS:
        return Data("random")
    if task in FED:
        return Data("photographs", not selection.images, selection.examples or PHOTOGRAPHS)
    examples = selection.examples or (ablations.examples(workload, task) if selection.suite else None)
    return Data(problem.DATASET, not selection.is_real, examples)


def _ways(environment, workload, task, device, selection):
    """Return each mode with each tier that it is asked in; of a suite, what ablations change beside the mode."""
    if selection.suite or task in FED:
        varied = ablations.variants(environment, workload, task, device, selection.modes)
        modes = registry.modes(environment, task)[:1] + varied if varied else []
        return [(mode, ablations.TIER) for mode in modes if not selection.modes or mode.name in selection.modes]
    return [(m, tier) for m in _modes(environment, task, selection) for tier in _tiers(environment, m, selection)]


def _modes(environment, task, selection):
    modes = registry.modes(environment, task)
    modes = modes[:1] if selection.documented_only else modes
    return [mode for mode in modes if not selection.modes or mode.name in selection.modes]


def _tiers(environment, mode, selection):
    known = registry.tiers(environment, mode)
    if selection.modes and not selection.tiers:
        return known[:1]
    return [tier for tier in known if tier in (selection.tiers or TIERS[:1])]


def _optimizers(problem, task, selection):
    if task == "infer":
        return ["none"]
    names = [name for name in problem.OPTIMIZERS if not selection.optimizers or name in selection.optimizers]
    return names[:1] if selection.first_only and not selection.optimizers else names


def select(selection: Selection, devices: Dict[str, Optional[str]], folder: str = registry.FRAMEWORKS) -> List[Case]:
    """List the selected cases of the environments in `devices` (name -> "cpu" or "gpu"), in a fixed order.

    Raises DefinitionError when a selected name does not exist or nothing at all is selected.
    """
    known = registry.environments(folder)
    settable = sorted({precision for environment in known.values() for precision in environment.precisions})
    asked = selection.precisions and _chosen(selection.precisions, settable, "precision")
    cases = []
    for workload in _chosen(selection.workloads, registry.workload_names(), "workload"):
        problem = registry.workload(workload)
        for name in _chosen(selection.environments, sorted(devices), "environment"):
            environment, device = known[name], devices[name] or "cpu"
            cases.extend(
                Case(
                    workload, name, task, mode.name, precision, mode.layout or environment.layout, device, batch_size,
                    optimizer, tier, _data(workload, problem, task, selection).text,
                )
                for task in _tasks(workload, problem, selection)
                for optimizer in _optimizers(problem, task, selection)
                for batch_size in _sizes(problem, task, device, selection)
                for precision in asked or registry.usual_precisions(environment, device)
                for mode, tier in _ways(environment, workload, task, device, selection)
            )  # fmt: skip
    if not cases:
        named = ("workloads", "environments", "modes", "tasks", "optimizers", "tiers")
        asked = ["%s %s" % (what, ", ".join(getattr(selection, what))) for what in named if getattr(selection, what)]
        raise DefinitionError(
            "No case has all that was asked for: %s. Ask for less; `python -m bench list` shows all that there are."
            % "; ".join(asked)
        )
    return cases


def most_workers(cases: Sequence[Case]) -> List[Case]:
    """Return the last case of each loader, which has the most workers."""
    return list({tuple(ablations.parts(ablations.split(case.mode)[1])): case for case in cases}.values())
