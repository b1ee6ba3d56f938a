"""An ablation changes one thing of a program, and both sides are measured in the same rounds: what was the reason?

`bench/ablations/<name>.py` states one: its docstring says what is changed, WORKLOADS and TASKS of what, and IS_SAME
whether what is measured still computes the same. If it does, its answer must agree with the others' like any other; if
not, it must differ from that of the program as it was. DEVICE names the one that it is of, where it is of one alone,
and EXAMPLES how many of a data set are enough to train on.

`bench/frameworks/<folder>/ablations/<name>.py` makes it in a framework: `vary(program, source)` takes the adapter's
class of programs and a model file, and returns both, one of them changed. What is alike in all frameworks is the
statement's own `vary`, which such a file imports. What a process must find when it starts is the file's VARIABLES.

A loader is stated and made likewise: of the task `feed`, it changes where a program's batches come from
(bench/feeding.py). The number in its mode tells how many processes or threads bring them, or what COUNTED says; NUMBERS
are those it is measured with, besides those of modes that are asked for.

What is changed is a mode of its own, `eager+one_hot` or, with two workers, `eager+image_files+2`, and stands beside the
documented one in a tier of its own, so that no other comparison ever holds it.
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
WORKERS = "worker", "workers"  # one and several of what the number in a mode tells


def names() -> List[str]:
    """Return the ablations' names in alphabetical order."""
    return sorted(entry[:-3] for entry in os.listdir(FOLDER) if entry.endswith(".py") and not entry.startswith("_"))


def _file(name: str) -> str:
    """Return what the files of an ablation are called, with whatever number it is measured."""
    return name.partition(SIGN)[0] + ".py"


def statement(name: str) -> Any:
    """Return the module that states an ablation; raises DefinitionError where there is none, or it lacks something."""
    name = _file(name)[:-3]
    if name not in names():
        raise DefinitionError("There is no ablation %r; choose from: %s." % (name, ", ".join(names())))
    module = importlib.import_module("bench.ablations." + name)
    missing = [word for word in MUST_STATE if not hasattr(module, word)]
    if missing:
        raise DefinitionError("bench/ablations/%s.py: an ablation must state %s." % (name, ", ".join(missing)))
    return module


def title(name: str) -> str:
    """Return what an ablation changes: the first line of its docstring, and the number in its name, if it has one."""
    told, count = str(statement(name).__doc__).strip().splitlines()[0], name.partition(SIGN)[2]
    return "%s, %s %s" % (told, count, counted(name)[count != "1"]) if count else told


def counted(name: str) -> Tuple[str, str]:
    """Return what the number in a loader's mode tells, of one and of several."""
    words: Tuple[str, str] = getattr(statement(name), "COUNTED", WORKERS)
    return words


def files(name: str) -> List[str]:
    """Return the paths of an ablation from the repository's root: its statement, and what makes it in a framework."""
    made = sorted({path(each, name) for each in registry.environments().values()})
    found = [os.path.join(FOLDER, _file(name))] + [each for each in made if os.path.exists(each)]
    return [os.path.relpath(each, registry.ROOT).replace(os.sep, "/") for each in found]


def split(mode: str) -> Tuple[str, str]:
    """Return the framework's mode and the name of what is changed of it, which is empty where nothing is."""
    base, _, name = mode.partition(SIGN)
    return base, name


def number(mode: str) -> int:
    """Return the number in a mode: with 0 workers, the process that trains makes its batches itself."""
    count = split(mode)[1].partition(SIGN)[2]
    return int(count) if count.isdigit() else 0


def path(environment: registry.Environment, name: str) -> str:
    """Return the file that makes an ablation in a framework, whether it exists or not."""
    return os.path.join(environment.folder, "ablations", _file(name))


def variants(
    environment: registry.Environment, workload: str, task: str, device: str, asked: Sequence[str] = ()
) -> List[registry.Mode]:
    """Return the modes that change one thing of an environment's documented one for a task, by name.

    A loader that may have a number has those of its statement, and of the modes that are `asked` for.
    """
    stated = [(name, statement(name)) for name in names() if os.path.exists(path(environment, name))]
    wanted = [name for name, each in stated if workload in each.WORKLOADS and task in each.TASKS
              and getattr(each, "DEVICE", device) == device]  # fmt: skip
    names_of = [_numbered(name, count) for name in wanted for count in _numbers(name, asked)]
    return [
        mode._replace(name=mode.name + SIGN + name, tier=TIER)
        for mode in registry.modes(environment, task)[:1]
        for name in names_of
    ]


def _numbered(name, count):
    """Return an ablation's name with a number; of workers, none are not told."""
    return SIGN.join([name, "%d" % count]) if count or counted(name) != WORKERS else name


def _numbers(name, asked):
    """Return with which numbers a loader is measured; all that may have another than 0 may have any."""
    usual = getattr(statement(name), "NUMBERS", (0,))
    more = {number(mode) for mode in asked if split(mode)[1].partition(SIGN)[0] == name}
    return usual if usual == (0,) else sorted(more.union(usual))


def examples(workload: str, task: str) -> Optional[int]:
    """Return how many examples of its data set a workload's ablations train on; None: all."""
    stated = [statement(name) for name in names()]
    return max([getattr(each, "EXAMPLES", 0) for each in stated if workload in each.WORKLOADS and task in each.TASKS],
               default=0) or None  # fmt: skip


def is_same(mode: str) -> bool:
    """Say whether a mode computes what the others do: all but those of an ablation which changes that."""
    name = split(mode)[1]
    return not name or bool(statement(name).IS_SAME)


def made_by(environment: Optional[registry.Environment], mode: str) -> List[str]:
    """Return the files that change a mode: none, or that of the framework and what it imports from the statement."""
    name = split(mode)[1]
    if not name or environment is None:
        return []
    return [each for each in (path(environment, name), os.path.join(FOLDER, _file(name))) if os.path.exists(each)]


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
    """Return a class of programs and a model file with one thing changed, or as they are where `name` is empty."""
    if not name:
        return program, source
    made = registry.load_module(path(environment, name), "bench_ablation_" + name)
    found: Tuple[Any, Any] = made.vary(program, source)
    return found


def changed(source: Any, **parts: Any) -> Any:
    """Return a model file with some of its parts exchanged."""
    return SimpleNamespace(**dict(vars(source), **parts))
