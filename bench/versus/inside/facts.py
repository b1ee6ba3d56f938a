"""Collect facts about a loaded program from every framework that it imported.

A framework's folder may have `own_programs.py` (bench/frameworks/README.md). It imports only the standard library at
its top, and reaches the framework through sys.modules:

- `IMPORT`: the module whose import means that a program uses this framework, such as "torch"
- `wait() -> str`: wait until all of its devices are done; return how, in plain words
- `peak_bytes()`: optional, the most memory of a GPU that the program's arrays had; None without a GPU
- `SHARES`: optional, {variable: value} that lets programs share a GPU's memory, as those of a round are alive at once
- `VARIABLES`: optional, {name: value} to set before the import in the process that looks. "{folder}" in a value becomes
  an empty folder. `facts` can find it in os.environ.
- `before()`: optional, called right after the framework's import in the process that looks: installs hooks
- `begin_steps()`: optional, called after the first steps: what hooks count from here on is per `program.looked_steps`
- `facts(program) -> dict`: called after these steps, names of FACTS -> JSON values; None is unknown
- `fit(keywords, begin, end, pause, resume) -> keywords`: optional, for the framework's own training loop. Returns its
  keywords with endless epochs and one more callback. That calls `begin` and `end` at each epoch's begin and end, and
  `pause` and `resume` around evaluation.
"""

import functools
import os
import sys
import tempfile
from importlib import util
from typing import Any, Callable, Dict, List

from bench import registry

FIRST_STEPS, LOOKED_STEPS = 3, 4
PER_BATCH = ("dispatches_per_step", "fetches_per_step", "uploads_per_step")  # unknown where a step is a whole epoch
_problems: List[str] = []  # of this process
# what a fact means, in every framework; a fact that a framework cannot tell is absent or None
FACTS = {
    "versions": "{package: version} of the framework and its numeric libraries",
    "device": "what computes: cpu, or the name of the GPU that holds the parameters or arrays",
    "has_gpu_build": "whether the installed build can use a GPU",
    "threads": "threads of one operation, as the framework uses them now",
    "inter_op_threads": "operations that run at once",
    "dtypes": "{dtype: share} of the floating-point numbers that the operations of a step compute",
    "parameters": "number of trained weights of the models found",
    "models": "names of the model classes found",
    "layers": "{layer type: count} of the models found",
    "is_training": "whether the models found are in training mode during a step",
    "training_layers": "{layer type: count} of layers that behave differently in training: dropout, batch norm",
    "optimizers": "list of {type, learning_rate, epsilon, weight_decay, ...} of the optimizers found",
    "batch_size": "examples per step, from the first axis of the largest input",
    "compiler": "what usually compiles a step, in frameworks where steps without it are slow",
    "compiled": "what was compiled: a list of names or graphs; empty: nothing was",
    "is_compile_asked": "whether the program asked for compilation",
    "is_eager_asked": "whether the program turned compilation off",
    "compiles_per_step": "compilations per step after the first steps (recompilation, retracing)",
    "compiled_graphs": "number of graphs that the compiler made in all",
    "graph_breaks": "breaks of the compiled graph, by reason",
    "is_asynchronous": "whether operations return before their work is done",
    "fetches_per_step": "copies of values from the device to Python per step",
    "fetches_s": "seconds per step within these copies, waiting included",
    "uploads_per_step": "copies of host arrays to the device per step",
    "gradients_recorded": "whether a step records gradients although nothing uses them",
    "python_loops_per_step": "{recurrent layer or cell: rounds over time steps that Python makes per step}",
    "dispatches_per_step": "operations or compiled programs that Python starts per step",
    "grouped_convolutions": "list of {groups, channels, size} of grouped or depthwise convolutions found",
    "memory_formats": "{format: count} of convolution weights or inputs",
    "matmul_precision": "precision of float32 matrix products on this device: highest, tf32, bf16",
    "mixed_precision": "dtype of automatic mixed precision, or empty",
    "loader": "{workers, prefetch, batch_size, kind} of the data loader found",
    "loader_s": "seconds per step that the program waited for its loader",
    "flops_per_step": "floating-point operations of one step, counted by the framework",
    "subnormals": "share of weights and state whose size is below the smallest normal float32 number",
    "switches": "{cause: VARIABLE=value that removes it, or VARIABLE alone}",
    "device_s_per_step": "seconds per step that the GPU computed, by the framework's profiler",
    "slowest_operations": "list of [operation, seconds per step, share of all operations], slowest first",
}


def every() -> List[Any]:
    """Return own_programs.py of each framework's folder that has this file."""
    names = [name for name in sorted(os.listdir(registry.FRAMEWORKS)) if os.path.exists(_path(name))]
    return [registry.load_module(_path(name), "versus_own_" + name) for name in names]


def _path(framework: str) -> str:
    return os.path.join(registry.FRAMEWORKS, framework, registry.OWN_PROGRAMS)


class Waits:
    """Waits for all frameworks that the program imported."""

    def __init__(self, known: List[Any]) -> None:
        self.known = known

    def imported(self) -> List[Any]:
        """Return own_programs.py of the frameworks that the program imported."""
        return [own for own in self.known if own.IMPORT in sys.modules]

    def peak_bytes(self) -> int:
        """Return the most memory of a GPU that the frameworks used; 0 without a GPU."""
        return max([own.peak_bytes() or 0 for own in self.imported() if hasattr(own, "peak_bytes")] + [0])

    def __call__(self) -> List[str]:
        """Wait until the work of each framework is done; return how, in plain words."""
        return [own.wait() for own in self.imported()]


def prepare(known: List[Any], folder: str) -> None:
    """Set the variables of all frameworks, and install their hooks right after each one's import."""
    hooks = {}
    for own in known:
        for name, value in getattr(own, "VARIABLES", {}).items():
            place = tempfile.mkdtemp(dir=folder) if "{folder}" in value else ""
            os.environ.setdefault(name, value.replace("{folder}", place))  # the user's own value stays
        if hasattr(own, "before"):
            hooks[own.IMPORT] = functools.partial(_attempt, own, own.before)
    sys.meta_path.insert(0, _AfterImport(hooks))


class _AfterImport:
    """An import hook that calls a function once, right after a module was imported."""

    def __init__(self, hooks: Dict[str, Callable[[], None]]) -> None:
        self.hooks = hooks

    def find_spec(self, name: str, _path: Any = None, _target: Any = None) -> Any:
        """Return the module's usual spec, with a loader that calls the hook."""
        hook = self.hooks.pop(name, None)  # so that the search below does not come back here
        spec = util.find_spec(name) if hook else None
        if spec is not None and hasattr(spec.loader, "exec_module"):
            usual = spec.loader.exec_module

            def exec_module(module: Any) -> None:
                usual(module)
                hook()

            spec.loader.exec_module = exec_module
        return spec


def collect(program: Any, after_steps: Callable[[], None]) -> Dict[str, Any]:
    """Make steps; return {framework's module: its facts}, the losses, and which facts could not be read.

    `after_steps` is called when the steps are made and before facts are read, because that may make more steps.
    """
    losses = program.run(FIRST_STEPS)
    used = program.waits.imported()
    for own in used:
        _attempt(own, getattr(own, "begin_steps", lambda: None))
    program.looked_steps = LOOKED_STEPS
    losses += program.run(LOOKED_STEPS)
    after_steps()
    found: Dict[str, Any] = {}
    for own in used:
        known = _attempt(own, functools.partial(own.facts, program))
        unknown = PER_BATCH if getattr(program, "unit", "") == "epoch" else ()
        if known is not None:
            found[own.IMPORT] = {
                name: value for name, value in known.items() if value is not None and name not in unknown
            }
    problems = list(_problems)
    del _problems[:]
    return {"facts": found, "losses": losses, "problems": problems}


def _attempt(own: Any, function: Callable[[], Any]) -> Any:
    """Call a framework's function. What it cannot read is unknown, and must not end the look."""
    try:
        return function()
    except Exception as error:  # noqa: BLE001
        _problems.append("%s: %s: %s" % (own.IMPORT, type(error).__name__, str(error)[:200]))
        return None
