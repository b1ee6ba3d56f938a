"""Write results folders of any size, valid and like real ones, straight to disk: the same bytes from the same seed.

Environments, modes and workloads are the project's own, so that every page and figure has something to show; times are
drawn. A machine's campaigns ask the same questions again, as years of measuring do. Every third one has new versions,
as frameworks are released. The newest campaigns of one set of versions are shown.
"""

import json
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import campaign
import numpy as np

from bench import registry
from bench.cases import TASKS
from bench.results import records

Record = dict[str, Any]
ROUNDS = 12  # enough for the intervals by resampling
SMALL, WHOLE = 7, 2**10  # workloads of a small and of a whole campaign: about 1,000 and 5,000 runs
LOST = 0.01  # of the runs
SAME = 3  # campaigns with one set of versions


class Plan(NamedTuple):
    """One campaign to write."""

    machine: str
    number: int  # from 0, the oldest first
    workloads: int  # how many are asked at most, the lightest first
    seed: int

    @property
    def name(self) -> str:
        """A campaign's name, which is when it began."""
        return f"{2000 + self.number // 12}-{1 + self.number % 12:02d}-01 0900"


def plans(runs: int, seed: int = 0) -> list[Plan]:
    """Return campaigns of about so many runs in all: up to 5,000 one small campaign, from then on whole ones."""
    whole = sum(1 for _ in cases(WHOLE)) * ROUNDS
    if runs < whole:
        return [Plan("machine-1", 0, SMALL, seed)]
    count = round(runs / whole)
    machines = max(1, round(count**0.6))
    return [Plan(f"machine-{place % machines + 1}", place // machines, WHOLE, seed) for place in range(count)]


def one_more(known: list[Plan]) -> Plan:
    """Return the campaign that comes next, a small one on the first machine."""
    newest = max(plan.number for plan in known if plan.machine == known[0].machine)
    return known[0]._replace(number=newest + 1, workloads=SMALL)


def cases(workloads: int) -> Iterator[Record]:
    """Yield the cases of a campaign: each default environment in all its modes, at one or two batch sizes."""
    environments = [each for each in registry.environments().values() if each.is_default]
    for workload in registry.workload_names()[:workloads]:
        problem = registry.workload(workload)
        optimizer = next(iter(problem.OPTIMIZERS), "none")
        for size in problem.BATCH_SIZES[:2]:
            for each in environments:
                for mode in each.modes:
                    yield campaign.case(
                        each.name, mode.name, workload=workload, batch_size=size, layout=each.layout, tier=mode.tier,
                        task="train" if problem.OPTIMIZERS else "infer", optimizer=optimizer,
                    )  # fmt: skip


def write(folder: Path, planned: list[Plan]) -> int:
    """Write campaigns into a results folder, on all cores; returns how many runs they have."""
    with ProcessPoolExecutor() as processes:
        return sum(processes.map(_write, [folder] * len(planned), planned))


def _write(folder: Path, plan: Plan) -> int:
    path = folder / plan.machine / (plan.name.replace(" ", "T") + ".jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    before, runs = "", 0
    with path.open("w", encoding="utf-8") as file:
        for line in lines(plan):
            before = records.seal(line, before)
            file.write(json.dumps({**line, "seal": before}, sort_keys=True) + "\n")
            runs += line["kind"] == "run"
    return runs


def lines(plan: Plan) -> Iterator[Record]:
    """Yield a campaign's lines."""
    random = np.random.default_rng((plan.seed, plan.number, int(plan.machine.rpartition("-")[2])))
    asked = list(cases(plan.workloads))
    truth = [float(random.lognormal(-5, 1)) for _ in asked]
    yield campaign.bench(asked, plan.name, plan.machine, "full")
    for each in registry.environments().values():
        if each.is_default:
            yield campaign.environment(
                each.name, plan.name, title=each.title, framework=each.framework, color=each.color, marker=each.marker,
                default_mode=each.modes[0].name, default_modes=_defaults(each),
                modes={mode.name: mode.compiles for mode in each.modes},
                loaded={each.name: f"{plan.number // SAME}.0"},
            )  # fmt: skip
    for number in range(1, ROUNDS + 1):
        drift = random.normal(1, 0.03)
        for case, usual in zip(asked, truth, strict=True):
            yield _run(random, plan.name, case, number, usual * drift * random.normal(1, 0.01))
    yield campaign.end(plan.name)


def _defaults(environment: registry.Environment) -> dict[str, str]:
    known = {task: registry.modes(environment, task) for task in TASKS}
    return {task: modes[0].name for task, modes in known.items() if modes}


def _run(random: np.random.Generator, name: str, case: Record, number: int, step_s: float) -> Record:
    if random.random() < LOST:
        return campaign.run(case, number, "failed", campaign=name)
    blocks = [float(10 * step_s * noise) for noise in random.normal(1, 0.02, random.choice((5, 5, 5, 6, 10, 12)))]
    return campaign.run(
        case, number, step_s, campaign=name, block_s=blocks, block_cpu_s=[1.9 * block for block in blocks],
        duration_s=20 + 300 * step_s + 2 * sum(blocks), machine_state=campaign.state(float(random.uniform(0, 0.05))),
    )  # fmt: skip
