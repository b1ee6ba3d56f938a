"""What a campaign's runs came to, by case and over all."""

import statistics
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from bench.cases import Case
from bench.proof import migration
from bench.results import records, schema, void_rules
from bench.results.lines import CpuState, Epochs, GpuState, Run

State = dict[str, dict[str, Any] | None]  # numbers of the machine during a run, by device

DEVICES = ("cpu", "gpu")


class Provenance(NamedTuple):
    """What of a run decides, beside its case and the versions, whether its time may be pooled with another's."""

    code: str | None  # hash of the model file
    proof: str | None  # of parity: hash of that, the adapter, the statement and the versions
    in_turns: bool  # with its rivals, block by block; else alone


class Numbers(NamedTuple):
    """What follows from one run alone, and several ask for: computed once, when its file is read."""

    counted_s: Sequence[float]  # what its number is made of
    time_s: float | None
    cpu_step_s: float | None
    in_turns: bool


class Outcome(NamedTuple):
    """What came of one case; a run that was repeated in its round takes the place of the one before."""

    case: Case
    rounds: Sequence[int]  # with a time
    step_s: Sequence[float]  # in each of them: seconds per step, or per epoch
    cores: float | None  # processor time over wall time, the median over rounds
    provenances: Sequence[Provenance]  # of its times: several where the code changed meanwhile, the last one last
    lost: str | None  # the status of the last run without a time; None when all have one
    reason: str | None  # why it has none

    @property
    def codes(self) -> list[str]:
        """Hashes of the model files that were measured, the last one last."""
        return [*dict.fromkeys(str(each.code) for each in self.provenances)]


class Outcomes(NamedTuple):
    """What all runs came to."""

    cases: Sequence[Outcome] = ()  # that have a run
    measured: int = 0  # runs with a time
    last_round: int = 0
    states: Sequence[State] = ()  # two that hold the lowest and the highest numbers of all; none where none was sampled
    slowed_share: float | None = None  # of the blocks that began beside a neighbour; None where none was watched


def of(runs: Sequence[Run | Epochs], numbers: Sequence[Numbers]) -> Outcomes:
    """Return what runs came to that count; `numbers` are those of each run."""
    cases: dict[Case, dict[int, tuple[Run | Epochs, Numbers]]] = {}
    for run, its_numbers in zip(runs, numbers, strict=True):
        cases.setdefault(run.case, {})[run.round] = run, its_numbers
    slowdowns = [slowdown for run in runs if isinstance(run, Run) for slowdown in run.block_slowdown or ()]
    return Outcomes(
        [_outcome(case, by_round.values()) for case, by_round in cases.items()],
        sum(run.status == "ok" for run in runs),
        max((run.round for run in runs), default=0),
        _extremes([{"cpu": run.machine_state.cpu, "gpu": run.machine_state.gpu} for run in runs if run.machine_state]),
        sum(slowdown > void_rules.QUIET for slowdown in slowdowns) / len(slowdowns) if slowdowns else None,
    )


def numbers_of(run: Run | Epochs) -> Numbers:
    """Return a run's numbers."""
    return Numbers(records.counted_s(run), records.time_s(run), cpu_step_s(run), records.took_turns(run))


def provenance_of(run: Run | Epochs) -> Provenance:
    """Return what decides whether a run's time may be pooled with another's."""
    return Provenance(run.code, migration.known_as(run.proof), records.took_turns(run))


def cpu_step_s(run: Run | Epochs) -> float | None:
    """Return a run's seconds of processor time per step; None where it was not measured."""
    if isinstance(run, Epochs) or not run.block_cpu_s or not run.steps_per_block:
        return None
    return statistics.median(run.block_cpu_s) / run.steps_per_block


def _outcome(case: Case, runs: Collection[tuple[Run | Epochs, Numbers]]) -> Outcome:
    measured = [(run, numbers.time_s, numbers.cpu_step_s) for run, numbers in runs if numbers.time_s is not None]
    lost = [run for run, numbers in runs if numbers.time_s is None]
    cores = [cpu_s / step_s for _, step_s, cpu_s in measured if step_s and cpu_s is not None]
    provenances = dict.fromkeys(provenance_of(run) for run, *_ in reversed(measured))
    return Outcome(
        case=case,
        rounds=[run.round for run, *_ in measured],
        step_s=[step_s for _, step_s, _ in measured],
        cores=statistics.median(cores) if cores else None,
        provenances=[*reversed(provenances)],
        lost=lost[-1].status if lost else None,
        reason=lost[-1].reason if lost else None,
    )


def _extremes(sampled: Sequence[dict[str, Any]]) -> list[State]:
    if not sampled:
        return []
    devices = {device: [state[device] for state in sampled if state[device]] for device in DEVICES}
    return [{device: _extreme(states, bound) for device, states in devices.items()} for bound in (min, max)]


def _extreme(states: Sequence[CpuState | GpuState], bound: Callable[[list[Any]], Any]) -> dict[str, Any] | None:
    """Return the lowest or highest of each number; nothing where no state tells of the device."""
    names = schema.fields(type(states[0])) if states else {}
    columns = {name: [getattr(state, name) for state in states if getattr(state, name) is not None] for name in names}
    return {name: sorted(set().union(*values)) if name == "throttle_reasons" else bound(values) if values else None
            for name, values in columns.items()} or None  # fmt: skip
