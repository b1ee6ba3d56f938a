"""Measure one run: a new process imports a framework, builds a program, makes its first step, and is timed.

Between its turns the process sleeps until it reads a line: empty for a block, or the seconds to continue untimed.
`check_loaders` makes short runs of loaders, untimed.
"""

import gc
import sys
import time
from typing import Any, Optional

import numpy as np

from bench import ablations, compiling, dataset, feeding, machine, measure, proof, registry
from bench.cases import EPOCHS, FED, STEPS, read_data
from bench.data import photographs
from bench.errors import Unsupported
from bench.profiles import named
from bench.replies import DONE, READY, Measure, Reply, Request, say
from bench.worker import epochs, late_steps, programs, replicas

SHORTEST_SLEEP_S = 2e-3  # a system may oversleep by as much: the rest of a pause is spent looking at the clock
CORES = "%d replicas with %d threads each need %d cores, and there are %d: choose fewer --threads."


class _Turns:
    """The turns of a run: one per input line; the process sleeps in between."""

    def __init__(self, cores):
        self.cores = cores
        self.metered = None  # [begin, end] on the system's clock while the program ran for its energy

    def __iter__(self):
        for process in ("self", *map(str, replicas.others())):
            machine.move(self.cores, process)
        say(READY)
        for line in sys.stdin:
            begin, seconds = time.monotonic(), float(line.strip() or 0)
            yield seconds
            self.metered = [begin, time.monotonic()] if seconds else self.metered
            say(DONE)


def _measure_steps(work, program, problem, device, adapter, cores):
    """Time steps on one random batch; return (seconds to place it, timings, batch, metered interval)."""
    begin = time.perf_counter()
    batch = program.place(*problem.batch(np.random.RandomState(work.seed), work.case.batch_size))
    place_s = time.perf_counter() - begin
    turns = _Turns(cores)
    forget_peak = getattr(adapter, "forget_peak", lambda: None)
    whole = program.OF if work.planted else 1
    found = measure.measure(program, batch, named(work.profile).block_s, device, turns, forget_peak, whole)
    return place_s, found, batch, turns.metered


def _measure_epochs(work, program, problem, *_):
    """Train over a data set; the round's seed gives the initial weights and the order of the examples."""
    case, profile = work.case, named(work.profile)
    wanted = read_data(case.data)
    data = dataset.load(wanted.name, work.data or None, wanted.is_stand_in)
    data = dataset.cut(data, wanted.examples) if wanted.examples else data
    count = min(problem.EPOCHS, profile.most_epochs or problem.EPOCHS)
    found = epochs.train(program, problem, data, case.batch_size, count, work.seed, case.task == "fit")
    now = time.monotonic()
    return 0.0, found, None, [now - sum(found.epoch_s) - sum(found.evaluation_s), now]


def _measure_feeding(work, program, problem, _device, adapter, _cores):
    """Train on photographs from a loader, or on one batch in memory."""
    case, side = work.case, problem.batch(np.random.RandomState(0), 1)[0].shape[1]
    images, workers = photographs.read(case.data, work.data, side), ablations.number(case.mode)
    found = feeding.measure_passes(program, images, case.batch_size, feeding.PASSES, workers,
                                   work.is_first, getattr(adapter, "steps_made", None))  # fmt: skip
    now = time.monotonic()
    return 0.0, found, None, [now - sum(found.epoch_s), now]


MEASURED = {
    **dict.fromkeys(STEPS, _measure_steps),
    **dict.fromkeys(EPOCHS, _measure_epochs),
    **dict.fromkeys(FED, _measure_feeding),
}


def run(request: Request) -> Reply:
    """Measure one case; return the measured fields of a `run` or `epochs` record."""
    work = request.work  # type: Measure
    case = work.case
    learns = case.task in EPOCHS  # other tasks only report times, so parity's initial weights suffice
    cores = ablations.cores(case.mode, case.device, request.threads)
    if request.threads < cores and cores > machine.cores():
        raise Unsupported(CORES % (ablations.devices(case.mode), request.threads, cores, machine.cores()))
    cores = machine.cores() if case.task in FED else cores  # a loader works in parallel with the network
    timed_on, starts_on = (machine.first_cores(cores, place) for place in (0, work.place))
    machine.move(starts_on)  # before the framework sizes its thread pools
    environment, adapter, device, import_s = programs.start(request)
    if not work.is_beside:
        say(READY)
        sys.stdin.readline()  # others may import at the same time; from here on this run has the machine to itself
        machine.move(timed_on)
    problem = registry.workload(case.workload)
    begin = time.perf_counter()
    task = "infer" if case.task == "infer" else "train"
    program = programs.program(
        adapter, environment, case.workload, task, case.mode, case.optimizer, precision=case.precision
    )
    scale = getattr(problem, "PARITY_LEARNING_RATE_SCALE", feeding.RATE_SCALE if case.task in FED else 1.0)
    if task == "train" and not learns and scale != 1.0:
        # One random batch from random weights, as in parity: losses that would diverge there would diverge here. A step
        # costs the same at any learning rate.
        program.scale_learning_rate(scale)
    weights = problem.weights(np.random.RandomState(work.seed if learns else 0))
    program.load(epochs.starting_weights(weights) if learns else weights)
    build_s = time.perf_counter() - begin
    built = program
    if work.planted:
        program = Slowed(program, *work.planted)
    place_s, found, batch, metered = MEASURED[case.task](work, program, problem, device, adapter, timed_on)
    if not (np.isfinite(found.loss_first) and np.isfinite(found.loss_last)):
        raise ArithmeticError("the loss is not finite: first %s, last %s" % (found.loss_first, found.loss_last))
    fields = dict(found._asdict(), import_s=import_s, build_s=build_s + place_s)
    fields["code"] = proof.code_hash(registry.model_path(environment, case.workload))
    if work.is_beside:
        fields["first_step_s"] = None  # it would include the time of others that started at once
    replicas.check(built, case.mode, case.batch_size)
    fields["compiled"] = compiling.made(adapter, environment, case.mode, built)
    fields["peak_host_memory_bytes"] = replicas.peak_memory_bytes()
    fields["peak_device_memory_bytes"] = adapter.peak_memory_bytes() if device == "gpu" else None
    if replicas.others():
        fields["block_cpu_s"] = []  # only that of this process is known
        seconds = getattr(built, "communication_s", float)()
        fields["communication_s"] = seconds if seconds > 0 else None  # PyTorch has -1 where it timed nothing
    if work.is_first and case.task in STEPS and not work.planted:
        fields.update(late_steps.check(program, problem, task, weights, batch, found, device, case.precision))
    return Reply(measured=fields, metered=metered)


def check_loaders(request: Request) -> Reply:
    """Run the loaders of some cases shortly, and check the data that they bring (bench.feeding.brought).

    Returns `checks`: a [status, reason] for each case. All belong to one environment, which is imported once.
    """
    environment, adapter, _, _ = programs.start(request)
    works = [Measure(case, "", 0, True, request.work.data) for case in request.work.cases]
    return Reply(checks=[_check_loader(work, environment, adapter) for work in works])


def _check_loader(work, environment, adapter):
    case = work.case
    try:
        problem = registry.workload(case.workload)
        program = programs.program(adapter, environment, case.workload, "train", case.mode, case.optimizer)
        program.scale_learning_rate(feeding.RATE_SCALE)
        program.load(problem.weights(np.random.RandomState(0)))
        _measure_feeding(work, program, problem, "", adapter, 0)
    except Exception as error:  # noqa: BLE001 - a loader may raise anything
        return programs.failure(error)[:2]
    finally:
        gc.collect()  # ends the loader's worker processes
    return "ok", ""


class Slowed:
    """A program made slower by `percent`, on the device or on the host; everything else is the program's own.

    On the device, `percent` of every 100 steps are repeated, spread evenly. A block has a multiple of 100 steps.
    Otherwise the lower decile, a run's number, would be blocks with fewer repeated steps. On the host, a wait
    pauses before it returns, for `percent` of the time since the first step after the last wait. A pause after each
    step would be hidden by a device that works meanwhile.
    """

    OF = 100

    def __init__(self, program: Any, way: str, percent: int) -> None:
        self.program = program
        self.percent = percent
        self.step = {"device": self._step_again, "host": self._step}[way]
        self.wait = {"device": program.wait, "host": self._wait}[way]
        self.steps = self.extra = 0
        self.begun: Optional[float] = None
        if hasattr(program, "loop"):
            self.loop = {"device": self._loop_longer, "host": self._loop}[way]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.program, name)

    def _due(self, steps: int) -> int:
        """Return how many steps are to be made once more, now that so many were asked for."""
        self.steps += steps
        due = self.percent * self.steps // self.OF - self.extra
        self.extra += due
        return due

    def _step_again(self, batch: Any) -> Any:
        handle = self.program.step(batch)
        for _ in range(self._due(1)):
            handle = self.program.step(batch)
        return handle

    def _loop_longer(self, batch: Any, steps: int, clock: Any) -> Any:
        return self.program.loop(batch, steps + self._due(steps), clock)

    def _loop(self, batch: Any, steps: int, clock: Any) -> Any:
        return self.program.loop(batch, steps, Paused(clock, self.percent))

    def _step(self, batch: Any) -> Any:
        self.begun = self.begun or time.perf_counter()
        return self.program.step(batch)

    def _wait(self, handle: Any) -> Any:
        number = self.program.wait(handle)
        if self.begun is not None:
            _pause(self.begun, self.percent)
            self.begun = None
        return number


class Paused:
    """A clock that pauses for `percent` of the time since it began before it ends."""

    def __init__(self, clock: Any, percent: int) -> None:
        self.clock = clock
        self.percent = percent

    def begin(self) -> None:
        """Begin."""
        self.begun = time.perf_counter()
        self.clock.begin()

    def end(self) -> None:
        """Pause, and end."""
        _pause(self.begun, self.percent)
        self.clock.end()


def _pause(since: float, percent: int) -> None:
    """Pause for `percent` of the time since a moment."""
    now = time.perf_counter()
    pause_until(now + (now - since) * percent / 100.0)


def pause_until(end: float) -> None:
    """Return when the clock shows `end`: asleep as long as that is safe, then watching the clock."""
    left = end - time.perf_counter()
    if left > SHORTEST_SLEEP_S:
        time.sleep(left - SHORTEST_SLEEP_S)
    while time.perf_counter() < end:
        pass
