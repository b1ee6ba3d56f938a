"""Defects that once passed every check, as wrappers around any framework's program, and what must catch each.

Usage, inside an environment: defects.py ENVIRONMENT WORKLOAD. Prints a line of JSON: {defect: what its check said}.
"""

import json
import os
import sys
from types import SimpleNamespace

import numpy as np

from bench import measure, registry
from bench.cases import Selection, select
from bench.errors import ContractError
from bench.problem import NOT_TRAINED
from bench.worker import contract, late_steps, programs

DECAY = 1e-4
DROPOUT = 0.1
STEPS = 40  # of a run that is over before its 50th


class Defective:
    """A program whose steps are another's; whatever else it does is its own."""

    def __init__(self, program):
        self.program = program
        self.made = 0
        self.rate = 1.0  # times the stated learning rate
        if hasattr(program, "loop"):  # the framework's own training loop
            self.loop = self._loop

    def __getattr__(self, name):
        return getattr(self.program, name)

    def step(self, batch):
        self.made += 1
        return self.do(lambda: self.program.step(batch))

    def _loop(self, batch, steps, clock):
        self.made += steps
        return self.do(lambda: self.program.loop(batch, steps, clock))

    def scale_learning_rate(self, factor):
        self.rate *= factor
        self.program.scale_learning_rate(factor)

    def copies(self):
        return {name: np.array(value) for name, value in self.program.weights().items()}


class LeavesOutEvery50th(Defective):
    """Leaves out the update of each step whose number is one to be left out."""

    def is_left_out(self):
        return self.made % 50 == 0

    def do(self, step):
        if not self.is_left_out():
            return step()
        before = self.copies()
        number = step()
        self.program.load(before)
        return number


class LeavesOutEverySecondFrom30On(LeavesOutEvery50th):
    def is_left_out(self):
        return self.made >= 30 and self.made % 2 == 1


class KeepsANumber(Defective):
    """Gives the number of its 30th step from then on."""

    def do(self, step):
        return step()

    def _given(self, number):
        if self.made <= 30:
            self.kept = number
        return self.kept

    def wait(self, handle):
        return self._given(self.program.wait(handle))

    def _loop(self, batch, steps, clock):
        return self._given(super()._loop(batch, steps, clock))


class SkipsEveryTenthWait(Defective):
    """Gives the number that it has instead of waiting, at every tenth wait after the first twenty."""

    waits, kept = 0, 0.0

    def do(self, step):
        return step()

    def is_skipped(self):
        return self.waits > 20 and self.waits % 10 == 0

    def _given(self, wait):
        self.waits += 1
        if not self.is_skipped():
            self.kept = wait()
        return self.kept

    def wait(self, handle):
        return self._given(lambda: self.program.wait(handle))

    def _loop(self, batch, steps, clock):
        number = self.program.loop(batch, steps, clock)
        return self._given(lambda: number)


class SkipsWaitsOfBlocks(SkipsEveryTenthWait):
    """Skips only where several steps were made since the wait before, as in the blocks of a run."""

    since = 0

    def do(self, step):
        self.since += 1
        return step()

    def is_skipped(self):
        several, self.since = self.since > 1, 0
        return self.waits > 20 and several

    def _loop(self, batch, steps, clock):
        self.since += steps
        return super()._loop(batch, steps, clock)


class KeepsTheFirst32(Defective):
    """Leaves out all examples of a batch after the 32nd: parity's batches have no more."""

    def place(self, x, y):
        return self.program.place(tuple(each[:32] for each in x) if isinstance(x, tuple) else x[:32], y[:32])

    def do(self, step):
        return step()


class ShiftsLabelsOfTheMeasuredSize(KeepsTheFirst32):
    """Gives each example its neighbour's label where a batch is as large as the measured one."""

    def place(self, x, y):
        return self.program.place(x, np.roll(y, 1, axis=0) if len(y) > 32 else y)


class Decays(Defective):
    """Lets each trained weight decay beside the step, as AdamW does."""

    def do(self, step):
        number = step()
        share = 1 - self.rate * self.learning_rate * DECAY
        self.program.load({
            name: value if name.endswith(NOT_TRAINED) else value * np.float32(share)
            for name, value in self.copies().items()
        })  # fmt: skip
        return number


class DropsOut(Defective):
    """Leaves out a tenth of the weights at random, whatever the rate of dropout."""

    random = np.random.RandomState(5)

    def do(self, step):
        self.program.load({
            name: value * (self.random.uniform(size=value.shape) >= DROPOUT) / np.float32(1 - DROPOUT)
            if name.endswith("kernel") else value for name, value in self.copies().items()
        })  # fmt: skip
        return step()


def broken(sentence):
    """Return the check whether a sentence of the contract is broken."""

    def check(environment, adapter, workload):
        return contract.check(environment, adapter, environment.modes[0].name, workload, (sentence,))[sentence.__name__]

    return check


def late_fault(environment, adapter, workload):
    """Return what is wrong with late steps of a run, or ""."""
    problem, mode = registry.workload(workload), environment.modes[0].name
    program = programs.program(adapter, environment, workload, "train", mode, next(iter(problem.OPTIMIZERS)))
    weights = problem.weights(np.random.RandomState(0))
    program.load(weights)
    batch = program.place(*registry.parity_batch(problem, np.random.RandomState(1)))
    numbers = [measure.block(program, batch, 1)[2] for _ in range(STEPS)]
    timings = SimpleNamespace(loss_first=numbers[0], loss_last=numbers[-1], block_s=[0.02] * 3000,
                              steps_per_block=4)  # on a slow machine, too  # fmt: skip
    try:
        late_steps.check(program, problem, "train", weights, batch, timings)
    except ContractError as error:
        return str(error)
    return ""


def measured(environment, adapter, workload):
    """Return the case of a first run at the measured batch size, and the numbers that its rivals must share."""
    case = next(iter(select(Selection([workload], [environment.name], tasks=["train"]), {environment.name: "cpu"})))
    problem = registry.workload(workload)
    program = programs.program(adapter, environment, workload, "train", case.mode, case.optimizer)
    weights = problem.weights(np.random.RandomState(0))
    program.load(weights)
    batch = program.place(*problem.batch(np.random.RandomState(1), case.batch_size))
    first = measure.block(program, batch, 1)[2]
    return case, dict(late_steps.of_rivals(program, problem, weights, batch), loss_first=first)


def rivals_of(workload):
    """Return the check whether a run computes what two correct ones did; `judged` decides outside the environment."""

    def check(environment, adapter, _):
        planted, adapter.Program = adapter.Program, RIGHT[0]
        case, right = measured(environment, adapter, workload)
        adapter.Program = planted
        return {"case": case, "right": right, "run": measured(environment, adapter, workload)[1],
                "is_planted": planted is not RIGHT[0]}  # fmt: skip

    return check


RIGHT = []  # the adapter's own Program
UNSEEN = "unseen: the measured program keeps its dropout, and the order of labels shows in no other loss"
CHECKS = {
    "late steps": late_fault,
    "rivals": rivals_of("linear"),
    "rivals that drop out": rivals_of("mnist_mlp"),
    "no gradient": broken(contract.what_has_no_gradient_stays),
    "dropout": broken(contract.training_drops_out_and_inference_does_not),
}
DEFECTS = (  # what is planted, the check that was made for it, and a part of what that must say
    (LeavesOutEvery50th, "late steps", "moved no weight"),
    (LeavesOutEverySecondFrom30On, "late steps", "moved no weight"),
    (KeepsANumber, "late steps", "as at first"),
    (SkipsEveryTenthWait, "late steps", "a wait gave a loss again"),
    (SkipsWaitsOfBlocks, "late steps", "a wait gave the number"),
    (KeepsTheFirst32, "rivals", "are all examples of a batch used"),
    (KeepsTheFirst32, "rivals that drop out", "are all examples of a batch used"),
    (ShiftsLabelsOfTheMeasuredSize, "rivals", "with their labels"),
    (ShiftsLabelsOfTheMeasuredSize, "rivals that drop out", "with their labels"),
    (DropsOut, "late steps", "as at first"),
    (DropsOut, "dropout", "drops out unasked"),
    (Decays, "no gradient", "without a gradient"),
)


def planted(program, defect, workload):
    """Return what stands for an adapter's Program, with a defect."""

    def build(*words):
        built = defect(program(*words))
        built.learning_rate = next(iter(registry.workload(workload).OPTIMIZERS.values())).learning_rate
        return built

    return build


def main(own, workload):
    """Print what each check says of a right program, and of one with the defect that it was made for."""
    environment = registry.environment(own)
    adapter = registry.adapter(environment)
    adapter.configure("cpu", int(os.environ["OMP_NUM_THREADS"]), "fp32")
    right = adapter.Program
    RIGHT.append(right)
    report = {"nothing: " + name: check(environment, adapter, workload) for name, check in CHECKS.items()}
    for defect, name, _ in DEFECTS:
        adapter.Program = planted(right, defect, workload)
        report[f"{defect.__name__}: {name}"] = CHECKS[name](environment, adapter, workload)
    print(json.dumps(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # a framework's own teardown may crash
