"""What controls of the method (bench/controls) do inside an environment; each returns its `about` and `series`."""

import functools
import time
from types import SimpleNamespace
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from bench import measure as loop
from bench import own_controls, registry
from bench.errors import Unsupported
from bench.replies import ControlPart, Reply
from bench.trimmed import logs, middle
from bench.worker import contract, programs
from bench.worker.candidate import Sentence

BLOCK_S = 0.02  # short blocks: what is done once a block weighs more in them than in the 0.1 s of a run's
AT_LEAST_S, MOST_S = 15.0, 240.0
FEWEST = 10  # turns, where a step takes seconds
NARROW = 0.018  # half-width of the ratio's 99 % interval, at which no turn is made any more
QUANTILE = 2.7  # about Student's for 99 % and some fifty turns: the judge takes the exact one
OWN_BLOCK_S, OWN_FEWEST, OWN_AT_LEAST_S = 0.3, 10, 10.0  # beside a framework's own timer or network
TIMER, MODEL = "timer", "model"
NOTHING, HANDLE = "nothing", "handle"  # sabotages: the wait as it is, and one that returns what the step returned


def is_open(series: Dict[str, List[float]], so_far_s: float) -> bool:
    """Say whether the ratio's interval is still wide, and more turns may be made."""
    return so_far_s < MOST_S and QUANTILE * middle(logs(series["ours_s"], series["bare_s"])).error > NARROW


class Clocked:
    """A program that reads the clock before the first step of a block and after its wait, and nothing else."""

    def __init__(self, program: Any) -> None:
        self.program = program
        self.begun: Optional[float] = None
        self.block_s = 0.0

    def step(self, batch: Any) -> Any:
        """Make one step."""
        if self.begun is None:
            self.begun = time.perf_counter()
        return self.program.step(batch)

    def wait(self, handle: Any) -> Any:
        """Wait, and keep the seconds since the first step."""
        number = self.program.wait(handle)
        self.block_s, self.begun = time.perf_counter() - (self.begun or 0.0), None
        return number


def bare(program: Any, batch: Any, steps: int) -> float:
    """Return the seconds of the plainest loop there is."""
    begun = time.perf_counter()
    for _ in range(steps):
        handle = program.step(batch)
    program.wait(handle)
    return time.perf_counter() - begun


def steps_per_block(program: Any, batch: Any, block_s: float) -> int:
    """Make a program's first steps, and return how many make a block of at least `block_s`."""
    warm = [loop.block(program, batch, 1)[0] for _ in range(1 + loop.WARM_UP_STEPS)]
    return loop.steps_per_block(max(min(warm), loop.SHORTEST_S), 0.0, block_s)


def alternate(
    seed: int,
    timed: Dict[str, Callable[[], float]],
    fewest: int,
    at_least_s: float,
    is_open: Callable[[Dict[str, List[float]], float], bool] = lambda *_: False,
) -> Dict[str, List[float]]:
    """Call each of `timed` once a turn, in random order; return their seconds.

    It ends after `at_least_s` and `fewest` turns, when `is_open(series, seconds so far)` is so no longer.
    """
    random = np.random.RandomState(seed)
    series: Dict[str, List[float]] = {name: [] for name in timed}
    begun, order = time.perf_counter(), sorted(timed)

    def goes_on() -> bool:
        so_far_s = time.perf_counter() - begun
        return len(series[order[0]]) < fewest or so_far_s < at_least_s or is_open(series, so_far_s)

    while goes_on():
        for index in random.permutation(len(order)):
            series[order[index]].append(timed[order[index]]())
    return series


def overhead(part: ControlPart, environment: registry.Environment, adapter: Any) -> Reply:
    """Alternate blocks of our loop and of a bare one; `within_s` is our blocks by a clock inside them."""
    program, batch = programs.in_training(part, environment, adapter)
    if hasattr(program, "loop"):
        raise Unsupported("its steps are made by the framework's own training loop: there is none of ours around them")
    steps = steps_per_block(program, batch, BLOCK_S)
    clocked, within = Clocked(program), []

    def ours() -> float:
        wall_s = loop.block(clocked, batch, steps)[0]
        within.append(clocked.block_s)
        return float(wall_s)

    timed = {"ours_s": ours, "bare_s": lambda: bare(clocked, batch, steps)}
    series = alternate(part.seed, timed, FEWEST, AT_LEAST_S, is_open)
    return Reply(series=dict(series, within_s=within, steps=[steps]))


def agreement(part: ControlPart, environment: registry.Environment, adapter: Any) -> Reply:
    """Alternate blocks of our loop with what it is held against, and return the seconds per step of both."""
    program, batch = programs.in_training(part, environment, adapter)
    rival = _timer if part.beside == TIMER else _model
    name, theirs = rival(part, environment, adapter, program, batch)
    steps = steps_per_block(program, batch, OWN_BLOCK_S)
    theirs(steps)  # traces, compiles and allocates
    timed = {"ours_s": lambda: loop.block(program, batch, steps)[0] / steps, "theirs_s": lambda: theirs(steps)}
    series = alternate(part.seed, timed, OWN_FEWEST, OWN_AT_LEAST_S)
    return Reply(about={"name": name}, series=dict(series, steps=[steps]))


Theirs = Tuple[str, Callable[[int], float]]  # what it is called, and a function from steps to seconds per step


def _own(environment: registry.Environment, function: str) -> Optional[Callable[..., Any]]:
    """Return a function of its framework's controls.py, or None where there is none."""
    is_there = function in own_controls.names(environment)
    return getattr(own_controls.load(environment), function) if is_there else None


def _timer(_: Any, environment: registry.Environment, __: Any, program: Any, batch: Any) -> Theirs:
    own_timer = _own(environment, "own_timer")
    if own_timer is None:
        raise Unsupported("%s has no timer of its own: its folder's controls.py has no own_timer" % environment.title)
    name, theirs = own_timer(program, batch)
    return name, theirs


def _model(part: ControlPart, environment: registry.Environment, adapter: Any, *_: Any) -> Theirs:
    own_model = _own(environment, "own_model")
    written = registry.model(environment, part.workload)
    found = own_model(part.workload, written) if own_model else None
    if found is None:
        raise Unsupported("%s has no %s of its own" % (environment.title, part.workload))
    name, source = found
    program, batch = programs.in_training(part, environment, adapter, source)
    return name, lambda steps: loop.block(program, batch, steps)[0] / steps


class Sabotaged:
    """A program whose wait is another one, `sabotage(this, handle)`; everything else is the program's own."""

    def __init__(self, program: Any, sabotage: Callable[["Sabotaged", Any], Any]) -> None:
        self.program = program
        self.wait = functools.partial(sabotage, self)
        self.before: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.program, name)


def _previous(program: Sabotaged, handle: Any) -> Any:
    """Return the number of the step before, which is ready by then, or the first one's own."""
    before, program.before = program.before, handle
    return program.program.wait(handle if before is None else before)


SABOTAGES = {
    NOTHING: lambda program, handle: program.program.wait(handle),
    "constant": lambda *_: 2.0,  # at once, a plausible loss that it made up
    "previous": _previous,
    HANDLE: lambda _, handle: handle,  # what the step returned
}


def waiting(
    part: ControlPart,
    environment: registry.Environment,
    adapter: Any,
    sentences: Tuple[Sentence, ...] = contract.ABOUT_WAITING,
) -> Reply:
    """Return the sentences about waiting that a sabotaged adapter breaks, and how.

    Raises Unsupported where there is no wait to leave out.
    """
    if registry.is_large(part.workload):
        raise Unsupported("it answers no small network, and of a large one no sentence is about waiting")
    if part.sabotage == HANDLE:
        program, batch = programs.in_training(part, environment, adapter)
        if isinstance(program.step(batch), float):
            raise Unsupported("a step waits by itself and returns the number: there is no wait to leave out")
    sabotage = SABOTAGES[part.sabotage]
    sabotaged = SimpleNamespace(Program=lambda *words: Sabotaged(adapter.Program(*words), sabotage))
    found = contract.check(environment, sabotaged, part.mode, part.workload, sentences)
    broken = sorted(sentence for sentence, problem in found.items() if problem)
    because = "; ".join(found[sentence] for sentence in broken)[:400]
    return Reply(about={"caught_by": ", ".join(broken), "because": because})


CONTROLS = {"overhead": overhead, "agreement": agreement, "waiting": waiting}
