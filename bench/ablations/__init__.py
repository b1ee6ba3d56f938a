"""An ablation changes one thing of a program, and both programs are measured in the same rounds.

`bench/ablations/<name>.py` states an ablation. Its docstring says what is changed. WORKLOADS and TASKS name where, and
IS_SAME says whether the program still computes the same. If so, its answer must agree with the others' answers. If not,
it must differ from that of the unchanged program. DEVICE names its device if it is for one only. EXAMPLES is how many
examples of a data set are enough to train on.

`bench/frameworks/<folder>/ablations/<name>.py` makes it in a framework: `vary(program, source)` takes the adapter's
class of programs and a model file, and returns both, one of them changed. If all frameworks change the same, the
statement has that `vary`, and such a file imports it. VARIABLES of both are set when a process starts; `{number}` in a
value is the number in the mode.

A loader is stated and made likewise. Of the task `feed`, it changes the source of a program's batches
(bench/feeding/__init__.py). WORKERS are the usual numbers of its processes or threads. If the number has another
meaning, COUNTED says which, and NUMBERS replaces WORKERS.

A changed program is a mode of its own, as `eager+one_hot` or, with two workers, `eager+image_files+2`. It has a tier of
its own, so no other comparison includes it. A network whose steps are changed may be fed as well:
`eager+trunk_trained+image_files+2`.
"""

import importlib
import itertools
import os
from types import SimpleNamespace
from typing import Any, List, Optional, Sequence, Tuple

from bench import registry
from bench.errors import DefinitionError

FOLDER = os.path.dirname(os.path.abspath(__file__))
TIER = "ablation"
SIGN = "+"  # between a mode and what is changed of it
MUST_STATE = ("WORKLOADS", "TASKS", "IS_SAME")
FEEDING = "feed"  # the task of loaders (bench/feeding/__init__.py)
WORKERS = "worker", "workers"  # what the number in a mode counts: one, and several
REPLICATED = "replicated"  # the ablation whose number counts devices


def names() -> List[str]:
    """Return the ablations' names in alphabetical order."""
    return sorted(entry[:-3] for entry in os.listdir(FOLDER) if entry.endswith(".py") and not entry.startswith("_"))


def parts(name: str) -> List[str]:
    """Return the ablations that make up what a mode changes, without the number behind them."""
    return [each for each in name.split(SIGN) if each and not each.isdigit()]


def statement(name: str) -> Any:
    """Return the module that states an ablation; raises DefinitionError where there is none, or it lacks something."""
    if name not in names():
        raise DefinitionError("There is no ablation %r; choose from: %s." % (name, ", ".join(names())))
    module = importlib.import_module("bench.ablations." + name)
    missing = [word for word in MUST_STATE if not hasattr(module, word)]
    if missing:
        raise DefinitionError("bench/ablations/%s.py: an ablation must state %s." % (name, ", ".join(missing)))
    return module


def title(name: str) -> str:
    """Return what a mode changes: the first lines of the statements' docstrings, and the number, if there is one."""
    text = ", ".join(str(statement(part).__doc__).strip().splitlines()[0] for part in parts(name))
    count = name.rpartition(SIGN)[2]
    return "%s, %s %s" % (text, count, counted(name)[count != "1"]) if count.isdigit() else text


def counted(name: str) -> Tuple[str, str]:
    """Return what the number in a loader's mode counts, as words for one and for several."""
    words: Tuple[str, str] = getattr(statement(parts(name)[-1]), "COUNTED", WORKERS)
    return words


def files(name: str) -> List[str]:
    """Return the paths of a mode's statements and of what makes them, from the repository's root."""
    found = []
    for part in parts(name):
        made = sorted({path(environment, part) for environment in registry.environments().values()})
        found += [_stated(part), *filter(os.path.exists, made)]
    return [os.path.relpath(file, registry.ROOT).replace(os.sep, "/") for file in found]


def _stated(name):
    return os.path.join(FOLDER, name + ".py")


def split(mode: str) -> Tuple[str, str]:
    """Return the framework's mode and the name of what is changed of it, which is empty where nothing is."""
    base, _, name = mode.partition(SIGN)
    return base, name


def number(mode: str) -> int:
    """Return the number in a mode: with 0 workers, the process that trains makes its batches itself."""
    count = mode.rpartition(SIGN)[2]
    return int(count) if count.isdigit() else 0


def devices(mode: str) -> int:
    """Return how many devices share a batch in a mode."""
    return max(1, number(mode)) if REPLICATED in parts(split(mode)[1]) else 1


def cores(mode: str, device: str, threads: int) -> int:
    """Return how many cores a mode needs with so many threads: on a CPU, each replica has its own."""
    return threads * (devices(mode) if device == "cpu" else 1)


def unfed(mode: str) -> str:
    """Return a mode without the loader that feeds it, if one does."""
    base, *words = mode.split(SIGN)
    steps = itertools.takewhile(lambda word: not word or word.isdigit() or FEEDING not in statement(word).TASKS, words)
    return SIGN.join([base, *steps])


def fed(mode: str) -> Tuple[str, str]:
    """Return a mode without its loader, and the loader with its number, which is empty where none feeds it."""
    rest = unfed(mode)
    return rest, mode[len(rest) + len(SIGN) :]


def path(environment: registry.Environment, name: str) -> str:
    """Return the file that makes an ablation in a framework, whether it exists or not."""
    return os.path.join(environment.folder, "ablations", name + ".py")


def variants(
    environment: registry.Environment, workload: str, task: str, device: str, asked: Sequence[str] = ()
) -> List[registry.Mode]:
    """Return the modes that change one thing of an environment's documented mode for a task.

    A loader with a number has the numbers of its statement, and those of the modes in `asked`. A mode that changes the
    steps and is fed is returned only if it is in `asked`.
    """
    found = [numbered for name in _made(environment, workload, task, device) for numbered in _numbered(name, asked)]
    if task == FEEDING:
        wanted = [split(mode)[1] for mode in asked]
        steps = _made(environment, workload, "train", device)
        fed = [step + loader for step in steps for loader in ["", *(SIGN + name for name in found)]]
        found += [name for name in fed if name in wanted]
    return [mode._replace(name=mode.name + SIGN + name, tier=TIER)
            for mode in registry.modes(environment, task)[:1] for name in found]  # fmt: skip


def _made(environment, workload, task, device):
    """Return the ablations of a workload and a task that an environment's framework makes."""
    stated = [(name, statement(name)) for name in names() if os.path.exists(path(environment, name))]
    return [name for name, module in stated if workload in module.WORKLOADS and task in module.TASKS
            and getattr(module, "DEVICE", device) == device]  # fmt: skip


def _numbered(name, asked):
    """Return an ablation's name with each number that it is measured with; 0 workers are left out of the name."""
    stated = statement(name)
    numbers = getattr(stated, "NUMBERS", getattr(stated, "WORKERS", (0,)))
    if numbers != (0,):  # it may have any number
        numbers = sorted({*numbers, *(number(mode) for mode in asked if parts(split(mode)[1])[-1:] == [name])})
    return [SIGN.join([name, "%d" % count]) if count or counted(name) != WORKERS else name for count in numbers]


def examples(workload: str, task: str) -> Optional[int]:
    """Return how many examples of its data set a workload's ablations train on; None: all."""
    stated = [statement(name) for name in names()]
    return max([getattr(each, "EXAMPLES", 0) for each in stated if workload in each.WORKLOADS and task in each.TASKS],
               default=0) or None  # fmt: skip


def is_same(mode: str) -> bool:
    """Say whether a mode computes what the others do: all but those of an ablation which changes that."""
    return all(statement(each).IS_SAME for each in parts(split(mode)[1]))


def made_by(environment: Optional[registry.Environment], mode: str) -> List[str]:
    """Return the files that change a mode: of each ablation the framework's, and the statement that it imports from."""
    if environment is None:
        return []
    found = [file for part in parts(split(mode)[1]) for file in (path(environment, part), _stated(part))]
    return list(filter(os.path.exists, found))


def started(environment: registry.Environment, mode: str) -> registry.Environment:
    """Return an environment with the VARIABLES that a mode's process starts with, the mode's number filled in."""
    variables = dict(environment.variables)
    for file in made_by(environment, mode):
        stated = registry.constant(file, "VARIABLES", {})
        variables.update({key: value.replace("{number}", "%d" % number(mode)) for key, value in stated.items()})
    return environment._replace(variables=variables)


def vary(environment: registry.Environment, name: str, program: Any, source: Any) -> Tuple[Any, Any]:
    """Return a class of programs and a model file as a mode changes them, or as they are where `name` is empty."""
    for part in parts(name):
        program, source = registry.load_module(path(environment, part), "bench_ablation_" + part).vary(program, source)
    return program, source


def changed(source: Any, **parts: Any) -> Any:
    """Return a model file with some of its parts exchanged."""
    return SimpleNamespace(**dict(vars(source), **parts))
