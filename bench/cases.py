"""A case is one thing to measure; this module names cases and lists those that a selection asks for."""

from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from bench import registry
from bench.errors import DefinitionError

STEPS = ("train", "infer")  # on one random batch
EPOCHS = ("epochs", "fit")  # over a data set: step by step, or by the framework's own loop
TASKS = STEPS + EPOCHS


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
    data: str  # "random", or the name of a data set

    @property
    def id(self) -> str:
        """A readable name that is unique among cases, usable in a command line."""
        parts = list(self)
        parts[7] = "b%d" % self.batch_size
        return "/".join(parts)

    @property
    def question(self) -> str:
        """What all its competitors have in common: cases with one question are compared with each other."""
        parts = (
            self.workload,
            self.task,
            self.precision,
            self.device,
            "b%d" % self.batch_size,
            self.optimizer,
            self.tier,
            self.data,
        )
        return "/".join(parts)


class Selection(NamedTuple):
    """What the user asked for; an empty sequence means everything."""

    workloads: Sequence[str] = ()
    environments: Sequence[str] = ()
    modes: Sequence[str] = ()
    tasks: Sequence[str] = ()  # nothing means: training, and inference of what is not trained
    precisions: Sequence[str] = ("fp32",)
    batch_sizes: Sequence[int] = ()
    optimizers: Sequence[str] = ()
    is_real: bool = False  # epochs over downloaded data sets; else over their stand-ins
    first_only: bool = False  # only a workload's first batch size and first optimizer


def _chosen(wanted, known, what):
    unknown = [item for item in wanted if item not in known]
    if unknown:
        raise DefinitionError(
            "There is no %s %s; choose from: %s." % (what, ", ".join(map(repr, unknown)), ", ".join(map(str, known)))
        )
    return [item for item in known if not wanted or item in wanted]


def _sizes(problem, selection):
    sizes = [size for size in problem.BATCH_SIZES if not selection.batch_sizes or size in selection.batch_sizes]
    return sizes[:1] if selection.first_only and not selection.batch_sizes else sizes


def _tasks(problem, selection):
    if not selection.tasks:
        return ["train" if problem.OPTIMIZERS else "infer"]
    needs = {"train": problem.OPTIMIZERS, "infer": True}
    over_data = problem.OPTIMIZERS and hasattr(problem, "DATASET")
    return [task for task in _chosen(selection.tasks, TASKS, "task") if needs.get(task, over_data)]


def data_name(problem: Any, task: str, is_real: bool) -> str:
    """Return what a case's data are called: a stand-in is never mistaken for the data set it stands in for."""
    if task in STEPS:
        return "random"
    return problem.DATASET if is_real else problem.DATASET + "-stand-in"


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
    cases = []
    for workload in _chosen(selection.workloads, registry.workload_names(), "workload"):
        problem = registry.workload(workload)
        for name in _chosen(selection.environments, sorted(devices), "environment"):
            environment = known[name]
            cases.extend(
                Case(
                    workload, name, task, mode.name, precision, environment.layout, devices[name] or "cpu",
                    batch_size, optimizer, mode.tier, data_name(problem, task, selection.is_real),
                )
                for task in _tasks(problem, selection)
                for optimizer in _optimizers(problem, task, selection)
                for batch_size in _sizes(problem, selection)
                for precision in selection.precisions
                for mode in environment.modes
                if not selection.modes or mode.name in selection.modes
                if task != "fit" or environment.has_fit
            )  # fmt: skip
    if not cases:
        raise DefinitionError("The selection holds no case: %s" % (selection,))
    return cases


def is_default_mode(case: Case, folder: str = registry.FRAMEWORKS) -> bool:
    """Say whether a case runs in the mode its environment names first, the documented default."""
    return registry.environment(case.environment, folder).modes[0].name == case.mode
