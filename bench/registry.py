"""Find workloads and frameworks by reading their folders; nothing else lists them.

`bench/workloads/<name>.py` states a workload. `bench/frameworks/<folder>/framework.toml` names a framework and its
environments; the model file `<workload>.py` beside it answers that workload.
"""

import ast
import functools
import importlib.util
import os
from typing import Any, Dict, List, NamedTuple, Optional

from bench.errors import DefinitionError

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
FRAMEWORKS = os.path.join(HERE, "frameworks")
WORKLOADS = os.path.join(HERE, "workloads")
# Locks, compiler caches, calls under way and other state beside the results. Delete it only when no bench runs.
STATE = os.environ.get("BENCH_STATE", os.path.join(ROOT, ".bench"))

MIXED = "bf16"  # of the precisions, the one that is made of a model file and not set for a process
CONTROLS = "controls.py"  # of a framework's folder: no measured step runs it, so it may change without a proof
OWN_PROGRAMS = "own_programs.py"  # likewise: what a framework tells about programs of the user's own
WORKLOAD_MUST_STATE = (
    "ORDER", "PARAMETERS", "BATCH_SIZES", "OPTIMIZERS", "LOSS", "DROPOUT", "PARITY_BATCH", "weights", "batch",
)  # fmt: skip
ENVIRONMENT_MUST_STATE = ("title", "python", "layout", "modes", "precisions", "packages", "color", "marker")
TEXTS = ("released", "built_for", "printed", "gpu_precision")  # of an environment, which may be empty
LISTS = ("only", "matched", "retired", "cpu", "gpu", "bootstrap", "launcher", "listens", "arithmetic", "libraries",
         "training_step")  # fmt: skip
TABLES = ("index", "held", "system", "variables", "settings", "differs", "planted")
ADAPTER_MUST_DEFINE = ("configure", "devices", "loaded", "peak_memory_bytes", "OUT_OF_MEMORY", "Program")


class Mode(NamedTuple):
    """How a framework executes a step: `compiles` says whether a compiler turns the step into one program first.

    A compiler that is `partial` may leave parts of a step, or all of it, as they were.
    """

    name: str
    compiles: bool
    tier: str
    own_loop: Optional[bool] = None  # whether its steps are the framework's own training loop's; None: as one asks
    layout: Optional[str] = None  # of images; None: the framework's
    tasks: Optional[List[str]] = None  # None: all
    system: Optional[Dict[str, str]] = None  # as an environment's, where a mode needs more
    partial: bool = False

    def does(self, task: str) -> bool:
        """Say whether it can do a task: the framework's own loop makes no single steps, and only it does `fit`."""
        by_loop = self.own_loop is None or self.own_loop == {"epochs": False, "fit": True}.get(task, self.own_loop)
        return by_loop and (self.tasks is None or task in self.tasks)


class Environment(NamedTuple):
    """One isolated installation: a row of every table. What a framework.toml leaves out is empty."""

    name: str
    framework: str  # the folder's name
    folder: str
    title: str
    backend: str  # the software that computes, also if another framework calls it
    python: List[str]  # versions that have the pinned packages, best first
    layout: str
    modes: List[Mode]  # the documented default first
    precisions: List[str]
    packages: List[str]
    color: str
    marker: str
    is_default: bool
    has_fit: bool  # whether it has a training loop of its own, for the task `fit`
    released: str  # month of its own package, as "2017-12"
    built_for: str  # the processor's instructions that its wheels compute with, and the source of that
    printed: str  # what articles' tables call the software that it is a version of
    only: List[str]  # its workloads, if it is not for each one with a model file
    matched: List[str]  # modes that are also in the matched tier
    retired: List[str]  # modes of older results that are no longer measured
    gpu_precision: str  # its default on a GPU, if that is not fp32
    cpu: List[str]
    gpu: List[str]
    index: Dict[str, str]  # device -> a further package index that has that device's build
    held: Dict[str, str]  # package -> why its pin is not the newest release that installs
    bootstrap: List[str]
    system: Dict[str, str]  # Debian package -> a program or shared library of it that must be installed
    variables: Dict[str, str]
    launcher: List[str]  # a program, and last a file of the folder, that start its Python; empty: it starts by itself
    listens: List[str]  # first parts of the names of environment variables that the framework reads
    arithmetic: List[str]  # first parts of the names of variables that change what it computes
    settings: Dict[str, Dict[str, object]]  # file in the user's home that changes its defaults -> its effect
    libraries: List[str]  # parts of the file names of its own numeric libraries
    training_step: List[str]  # "file:function" of the framework's own, for those who read its code
    differs: Dict[str, str]  # what a reader who comes from another framework must know
    unanswered: Dict[str, str]  # workload -> reason why it is not answered
    planted: Dict[str, Dict[str, str]]  # bugs that parity must find: right -> wrong, in the framework's code


def tiers(environment: Environment, mode: Mode) -> List[str]:
    """Return the tiers that a mode of an environment is measured in, its own first."""
    return [mode.tier] + ["matched"] * (mode.name in environment.matched)


def usual_precisions(environment: Environment, device: str) -> List[str]:
    """Return the precisions that are measured if none is named: strict fp32, and a framework's default on a GPU."""
    return ["fp32"] + [environment.gpu_precision] * (device == "gpu" and bool(environment.gpu_precision))


def modes(environment: Environment, task: str) -> List[Mode]:
    """Return the modes in which an environment does a task, the documented default first."""
    if task == "fit" and not environment.has_fit:
        return []
    return [mode for mode in environment.modes if mode.does(task)]


def load_module(path: str, name: str) -> Any:
    """Import one file by its path, so that a folder may be called as the package it uses is."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def constant(path: str, name: str, default: Any) -> Any:
    """Return the literal that a file assigns to a name, or `default`; nothing is imported."""
    with open(path, encoding="utf-8") as file:
        assigned = [node for node in ast.parse(file.read()).body if isinstance(node, ast.Assign)]
    values = [node.value for node in assigned if getattr(node.targets[0], "id", "") == name]
    return ast.literal_eval(values[-1]) if values else default


def _stamp(path):
    """Return what changes when a file does: what is kept of it holds as long."""
    about = os.stat(path)
    return about.st_mtime_ns, about.st_size


def _require(module, names, path, what):
    missing = [name for name in names if not hasattr(module, name)]
    if missing:
        raise DefinitionError(
            "%s: %s must define %s, and lacks %s." % (path, what, ", ".join(names), ", ".join(missing))
        )
    return module


def workload_names(folder: str = WORKLOADS) -> List[str]:
    """Return the workloads' names, the lightest first."""
    names = [entry[:-3] for entry in os.listdir(folder) if entry.endswith(".py") and entry != "__init__.py"]
    return sorted(names, key=lambda name: (workload(name, folder).ORDER, name))


def has_workload(name: str, folder: str = WORKLOADS) -> bool:
    """Say whether there is a workload of this name, which may be anything: no path is made of it."""
    return not name.startswith("_") and name + ".py" in os.listdir(folder)


def workload(name: str, folder: str = WORKLOADS) -> Any:
    """Return a workload's module, the same until its file changes; raises DefinitionError where it lacks something."""
    path = os.path.join(folder, name + ".py")
    if not os.path.exists(path):
        known = ", ".join(sorted(entry[:-3] for entry in os.listdir(folder) if not entry.startswith("_")))
        raise DefinitionError("There is no workload %r; choose from: %s." % (name, known))
    return _workload(path, name, _stamp(path))


@functools.lru_cache(maxsize=None)
def _workload(path, name, _stamp):
    return _require(load_module(path, "bench_workload_" + name), WORKLOAD_MUST_STATE, path, "a workload")


def optimizers(name: str) -> List[str]:
    """Return the ways a workload is asked: each optimizer it is trained with, and "none" for inference."""
    return list(workload(name).OPTIMIZERS) + ["none"]


def is_large(name: str) -> bool:
    """Say whether a workload is a large network: its own batch for parity is smaller than its usual ones."""
    return hasattr(workload(name), "parity_batch")


def parity_batch(problem, random):
    """Return the batch that parity is proven on: the workload's own choice, or its usual batch at a smaller size."""
    if hasattr(problem, "parity_batch"):
        return problem.parity_batch(random)
    return problem.batch(random, problem.PARITY_BATCH)


def read_toml(path: str) -> Dict[str, Any]:
    """Return a TOML file of a framework's folder, which nobody changes; raises DefinitionError if it is not valid."""
    return _read_toml(path, _stamp(path))


@functools.lru_cache(maxsize=None)
def _read_toml(path, _stamp):
    try:
        import tomllib as toml  # novm - Python 3.11 and later
    except ImportError:
        try:
            import tomli as toml
        except ImportError:
            raise DefinitionError("Python before 3.11 reads framework.toml with tomli: pip install tomli") from None
    with open(path, "rb") as file:
        try:
            return toml.loads(file.read().decode("utf-8"))
        except ValueError as error:
            raise DefinitionError("%s is not valid TOML: %s" % (path, error)) from None


def _take(table, key, path):
    if key not in table:
        raise DefinitionError("%s: %r is missing; bench/frameworks/README.md says what each key means." % (path, key))
    return table[key]


def _environment(name, row, framework, folder, path):
    where = "%s [environments.%s]" % (path, name)
    stated = dict(framework, **row)
    for key in ENVIRONMENT_MUST_STATE:
        _take(stated, key, where)
    modes, base = _take(framework, "modes", path), os.path.basename(folder)
    unknown = [mode for mode in _take(row, "modes", where) + row.get("matched", []) if mode not in modes]
    if unknown:
        raise DefinitionError("%s: mode %s is not among [modes]: %s." % (where, ", ".join(unknown), ", ".join(modes)))
    unanswered = {name: why for name, why in stated.get("unanswered", {}).items() if name not in row.get("also", [])}
    fields = {**dict.fromkeys(TEXTS, ""), **{key: [] for key in LISTS}, **{key: {} for key in TABLES}}
    fields.update((key, value) for key, value in stated.items() if key in Environment._fields)
    return Environment(**dict(
        fields, name=name, framework=base, folder=folder, backend=stated.get("backend", base),
        is_default=row.get("default", True), has_fit=framework.get("fit", False), unanswered=unanswered,
        modes=[Mode(name=mode, **modes[mode]) for mode in row["modes"]],
    ))  # fmt: skip


def whole(rows: Dict[str, Any], name: str, path: str) -> Dict[str, Any]:
    """Return what a row of a file states, with what it takes over from the row that it is `like`.

    Raises DefinitionError if there is no such row.
    """
    own = dict(_take(rows, name, path))
    like = own.pop("like", None)
    return dict(whole(rows, like, path), **own) if like else own


def framework_names(folder: str = FRAMEWORKS) -> List[str]:
    """Return the frameworks' names: those of the folders that hold a framework.toml."""
    return sorted(name for name in os.listdir(folder) if os.path.exists(os.path.join(folder, name, "framework.toml")))


def environments(folder: str = FRAMEWORKS) -> Dict[str, Environment]:
    """Return every environment of every framework folder by name; raises DefinitionError on a double name.

    Files are read again only when one of them has changed.
    """
    paths = [os.path.join(folder, entry, "framework.toml") for entry in framework_names(folder)]
    return dict(_environments(tuple((path, _stamp(path)) for path in paths)))


@functools.lru_cache(maxsize=None)
def _environments(files):
    found: Dict[str, Environment] = {}
    for path, stamp in files:
        framework = _read_toml(path, stamp)
        rows = _take(framework, "environments", path)
        for name in rows:
            if name in found:
                raise DefinitionError("%s: environment %r exists already in %s." % (path, name, found[name].folder))
            found[name] = _environment(name, whole(rows, name, path), framework, os.path.dirname(path), path)
    return found


def usual(folder: str = FRAMEWORKS) -> List[str]:
    """Return the environments that all code is tested in: the default ones, and the first of a framework without any.

    The others are further versions of the same frameworks.
    """
    known = environments(folder)
    first = {row.framework: name for name, row in reversed(list(known.items()))}
    first.update((row.framework, "") for row in known.values() if row.is_default)
    return [name for name, row in known.items() if row.is_default or first[row.framework] == name]


def environment(name: str, folder: str = FRAMEWORKS) -> Environment:
    """Return one environment; raises DefinitionError when no folder names it."""
    found = environments(folder)
    if name not in found:
        raise DefinitionError("There is no environment %r; choose from: %s." % (name, ", ".join(sorted(found))))
    return found[name]


def model_path(environment: Environment, workload_name: str) -> str:
    """Return where this environment's model file for a workload lies, whether it exists or not."""
    return os.path.join(environment.folder, workload_name + ".py")


def answers(environment: Environment, workload_name: str) -> bool:
    """Say whether this environment has a model file for a workload, and is there for it."""
    is_meant = workload_name not in environment.unanswered and workload_name in (environment.only or [workload_name])
    return is_meant and os.path.exists(model_path(environment, workload_name))


def answered(environment: Environment) -> List[str]:
    """Return the workloads that this environment has a model file for, and is there for."""
    return [name for name in workload_names() if answers(environment, name)]


def adapter(environment: Environment) -> Any:
    """Import the framework's adapter (and so the framework); raises DefinitionError when it is incomplete."""
    path = os.path.join(environment.folder, "adapter.py")
    return _require(
        load_module(path, "bench_adapter_" + environment.framework), ADAPTER_MUST_DEFINE, path, "an adapter"
    )


def model(environment: Environment, workload_name: str) -> Any:
    """Import the model file that answers a workload in this environment."""
    return load_module(model_path(environment, workload_name), "bench_model_" + workload_name)
