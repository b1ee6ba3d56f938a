"""An ablation changes one thing of a program. Both sides are measured in the same rounds, which shows its effect.

`bench/ablations/<name>.py` states an ablation: its docstring says what is changed, and WORKLOADS and TASKS where.
IS_SAME says whether the changed program computes the same. If it does, its answer must agree with the others' answers.
If not, it must differ from that of the unchanged program. DEVICE names a device if it is the only one. EXAMPLES says
how many examples of a data set are enough to train on.

`bench/frameworks/<folder>/ablations/<name>.py` makes it in a framework: `vary(program, source)` takes the adapter's
class of programs and a model file, and returns both, one of them changed. If the change is the same in all frameworks,
it is the statement's own `vary`, which such a file imports. VARIABLES of the file are set when a process starts.

A loader is an ablation of the task `feed`: it changes where a program's batches come from (bench/feeding/__init__.py).
WORKERS lists the usual numbers of its processes or threads. If the number means something else, COUNTED says what, and
NUMBERS replaces WORKERS.

A changed program is its own mode, `eager+one_hot` or, with two workers, `eager+image_files+2`. It has its own tier, so
it is compared only with the documented mode. A network whose steps are changed can be fed as well, on request:
`eager+trunk_trained+image_files+2`.
"""

import ast
import importlib
import os
from types import SimpleNamespace
from typing import Any, Dict, List, Optional, Sequence, Tuple

from bench import registry
from bench.errors import DefinitionError

FOLDER = os.path.dirname(os.path.abspath(__file__))
TIER = "ablation"
SIGN = "+"  # between a mode and what is changed of it
MUST_STATE = ("WORKLOADS", "TASKS", "IS_SAME")
FEEDING = "feed"  # the task of loaders (bench/feeding/__init__.py)
WORKERS = "worker", "workers"  # one and several of what the number in a mode tells


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
    told = ", ".join(str(statement(each).__doc__).strip().splitlines()[0] for each in parts(name))
    count = name.rpartition(SIGN)[2]
    return "%s, %s %s" % (told, count, counted(name)[count != "1"]) if count.isdigit() else told


def counted(name: str) -> Tuple[str, str]:
    """Return what the number in a loader's mode tells, of one and of several."""
    words: Tuple[str, str] = getattr(statement(parts(name)[-1]), "COUNTED", WORKERS)
    return words


def files(name: str) -> List[str]:
    """Return the paths of what a mode changes from the repository's root: statements, and what makes them."""
    found = []
    for part in parts(name):
        made = sorted({path(each, part) for each in registry.environments().values()})
        found += [_stated(part)] + [each for each in made if os.path.exists(each)]
    return [os.path.relpath(each, registry.ROOT).replace(os.sep, "/") for each in found]


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


def unfed(mode: str) -> str:
    """Return a mode without the loader that feeds it, if one does."""
    base, name = split(mode)
    return SIGN.join([base] + [each for each in parts(name) if FEEDING not in statement(each).TASKS])


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
    """Return the modes that change one thing of an environment's documented one for a task, by name.

    A loader with a number has the numbers of its statement and of the modes that are `asked` for. If a mode with
    changed steps is asked for with the task `feed`, a loader or one batch in memory feeds it.
    """
    found = [_numbered(name, count) for name in _made(environment, workload, task, device)
             for count in _numbers(name, asked)]  # fmt: skip
    if task == FEEDING:
        wanted = [split(mode)[1] for mode in asked]
        fed = [SIGN.join([step] + loader) for step in _made(environment, workload, "train", device)
               for loader in [[]] + [[each] for each in found]]  # fmt: skip
        found = found + [name for name in fed if name in wanted]
    return [
        mode._replace(name=mode.name + SIGN + name, tier=TIER)
        for mode in registry.modes(environment, task)[:1]
        for name in found
    ]


def _made(environment, workload, task, device):
    """Return the ablations of a workload and a task that an environment's framework makes."""
    stated = [(name, statement(name)) for name in names() if os.path.exists(path(environment, name))]
    return [name for name, each in stated if workload in each.WORKLOADS and task in each.TASKS
            and getattr(each, "DEVICE", device) == device]  # fmt: skip


def _numbered(name, count):
    """Return an ablation's name with a number; zero workers are left out."""
    return SIGN.join([name, "%d" % count]) if count or counted(name) != WORKERS else name


def _numbers(name, asked):
    """Return the numbers with which a loader is measured; if it may have another than 0, it may have any."""
    stated = statement(name)
    usual = getattr(stated, "NUMBERS", getattr(stated, "WORKERS", (0,)))
    more = {number(mode) for mode in asked if parts(split(mode)[1])[-1:] == [name]}
    return usual if usual == (0,) else sorted(more.union(usual))


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
    found = [each for part in parts(split(mode)[1]) for each in (path(environment, part), _stated(part))]
    return [each for each in found if os.path.exists(each)]


def started(environment: registry.Environment, mode: str) -> registry.Environment:
    """Return an environment as a mode's process starts in it: with the VARIABLES of what changes it, if it has any."""
    stated: Dict[str, str] = {}
    for each in made_by(environment, mode):
        with open(each, encoding="utf-8") as file:
            tree = ast.parse(file.read())  # not imported: its framework is not here
        for node in tree.body:
            if isinstance(node, ast.Assign) and [getattr(to, "id", "") for to in node.targets] == ["VARIABLES"]:
                stated.update(ast.literal_eval(node.value))
    return environment._replace(variables=dict(environment.variables, **stated))


def vary(environment: registry.Environment, name: str, program: Any, source: Any) -> Tuple[Any, Any]:
    """Return a class of programs and a model file as a mode changes them, or as they are where `name` is empty."""
    for part in parts(name):
        program, source = registry.load_module(path(environment, part), "bench_ablation_" + part).vary(program, source)
    return program, source


def changed(source: Any, **parts: Any) -> Any:
    """Return a model file with some of its parts exchanged."""
    return SimpleNamespace(**dict(vars(source), **parts))
