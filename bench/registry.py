"""Find workloads and frameworks by reading their folders; nothing else lists them.

`bench/workloads/<name>.py` states a workload. `bench/frameworks/<folder>/framework.toml` names a framework and its
environments; the model file `<workload>.py` beside it answers that workload.
"""

import functools
import importlib.util
import os
from typing import Any, Dict, List, NamedTuple, Optional

from bench.errors import DefinitionError

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
FRAMEWORKS = os.path.join(HERE, "frameworks")
WORKLOADS = os.path.join(HERE, "workloads")
# What is kept beside the results: locks, compiler caches, calls under way, the state of an interrupted control, the
# last campaign, what `nox -s verify` measured, the analysis' cache. Delete it only when no bench or control runs.
STATE = os.environ.get("BENCH_STATE", os.path.join(ROOT, ".bench"))

MIXED = "bf16"  # of the precisions, the one that is made of a model file and not set for a process
CONTROLS = "controls.py"  # of a framework's folder: no measured step runs it, so it may change without a proof
WORKLOAD_MUST_STATE = (
    "ORDER", "PARAMETERS", "BATCH_SIZES", "OPTIMIZERS", "LOSS", "DROPOUT", "PARITY_BATCH", "weights", "batch",
)  # fmt: skip
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
        """Say whether it can do a task: an own loop makes no single steps, and what steps by hand is no own loop."""
        by_loop = self.own_loop is None or self.own_loop == {"epochs": False, "fit": True}.get(task, self.own_loop)
        return by_loop and (self.tasks is None or task in self.tasks)


class Environment(NamedTuple):
    """One isolated installation: a row of every table."""

    name: str
    title: str
    released: str  # when its own package was, as "2017-12"; empty where the folder does not say
    built_for: str  # the processor's instructions that its wheels compute with, and who told; empty where nobody did
    printed: str  # what articles' tables call the software that it is a version of; empty where none is meant
    framework: str  # the folder's name
    backend: str  # who computes, also where another framework calls it
    folder: str
    python: List[str]  # versions that have the pinned packages, best first
    is_default: bool
    only: List[str]  # the workloads that it is there for, where that is not each with a model file
    layout: str
    has_fit: bool  # whether it has a training loop of its own, for the task `fit`
    modes: List[Mode]  # the documented default first
    matched: List[str]  # those that are in the matched tier besides their own
    retired: List[str]  # modes of older results, which nobody measures any more
    precisions: List[str]
    gpu_precision: str  # its default on a GPU; empty if that is fp32
    packages: List[str]
    cpu: List[str]
    gpu: List[str]
    index: Dict[str, str]  # device -> a further package index that has that device's build
    bootstrap: List[str]
    system: Dict[str, str]  # Debian package -> the program or shared library of it that must be here
    variables: Dict[str, str]
    listens: List[str]  # how the names begin of environment variables that the framework listens to
    arithmetic: List[str]  # how the names begin of those that change what it computes
    settings: Dict[str, Dict[str, Any]]  # file in the user's home that changes its defaults -> what it does
    libraries: List[str]  # parts of the file names of its own numeric libraries
    color: str
    marker: str
    training_step: List[str]  # "file:function" of the framework's own, for those who read its code
    differs: Dict[str, str]  # what a reader who comes from another framework must know, in words
    unanswered: Dict[str, str]  # workload -> why it is not answered here, where the framework says so
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
    modes = _take(framework, "modes", path)
    unknown = [mode for mode in _take(row, "modes", where) + row.get("matched", []) if mode not in modes]
    if unknown:
        raise DefinitionError("%s: mode %s is not among [modes]: %s." % (where, ", ".join(unknown), ", ".join(modes)))
    return Environment(
        name=name,
        title=_take(row, "title", where),
        released=row.get("released", ""),
        built_for=row.get("built_for", ""),
        printed=row.get("printed", ""),
        framework=os.path.basename(folder),
        backend=row.get("backend", framework.get("backend", os.path.basename(folder))),
        folder=folder,
        python=_take(row, "python", where),
        is_default=row.get("default", True),
        only=row.get("only", []),
        layout=row.get("layout", _take(framework, "layout", path)),
        has_fit=framework.get("fit", False),
        modes=[Mode(name=mode, **modes[mode]) for mode in row["modes"]],
        matched=row.get("matched", []),
        retired=framework.get("retired", []),
        precisions=_take(framework, "precisions", path),
        gpu_precision=framework.get("gpu_precision", ""),
        packages=_take(row, "packages", where),
        cpu=row.get("cpu", []),
        gpu=row.get("gpu", []),
        index=row.get("index", {}),
        bootstrap=row.get("bootstrap", []),
        system=row.get("system", {}),
        variables=row.get("variables", {}),
        listens=framework.get("listens", []),
        arithmetic=framework.get("arithmetic", []),
        settings=framework.get("settings", {}),
        libraries=framework.get("libraries", []),
        color=_take(row, "color", where),
        marker=_take(row, "marker", where),
        training_step=framework.get("training_step", []),
        differs=framework.get("differs", {}),
        unanswered=_without(framework.get("unanswered", {}), row.get("also", [])),
        planted=framework.get("planted", {}),
    )


def _without(stated, names):
    return {name: value for name, value in stated.items() if name not in names}


def framework_names(folder: str = FRAMEWORKS) -> List[str]:
    """Return the frameworks' names: those of the folders that hold a framework.toml."""
    return sorted(
        entry for entry in os.listdir(folder) if os.path.exists(os.path.join(folder, entry, "framework.toml"))
    )


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
        for name, own in rows.items():
            if name in found:
                raise DefinitionError("%s: environment %r exists already in %s." % (path, name, found[name].folder))
            row = dict(_take(rows, own["like"], path), **own) if "like" in own else own
            found[name] = _environment(name, row, framework, os.path.dirname(path), path)
    return found


def usual(folder: str = FRAMEWORKS) -> List[str]:
    """Return the environments that all code is asked of: the default ones, and the first of a framework without any.

    The others are further versions of what these test: they are asked by their names.
    """
    known = environments(folder)
    tested = {each.framework for each in known.values() if each.is_default}
    found = []
    for name, each in known.items():
        if each.is_default or each.framework not in tested:
            found.append(name)
            tested.add(each.framework)
    return found


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
