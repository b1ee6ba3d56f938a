"""What a campaign's runs came to, by case and over all: kept of a file, so that its runs are read once for this."""

import operator
import statistics
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from bench import records
from bench.cases import Case

Record = dict[str, Any]
State = dict[str, Any]  # of the machine during a run
Key = tuple[Any, ...]  # the fields of a case

DEVICES = ("cpu", "gpu")
MANY = 100  # states of the machine to remember, before two stand for them
key_of: Callable[[Record], Key] = operator.itemgetter(*Case._fields)


class Made(NamedTuple):
    """What of a run decides, beside its case and the versions, whether its time may be pooled with another's."""

    code: str | None  # hash of the model file
    proof: str | None  # of parity: hash of that, the adapter, the statement and the versions
    in_turns: bool  # with its rivals, block by block; else alone


class Outcome(NamedTuple):
    """What came of one case; a run that was repeated in its round takes the place of the one before."""

    case: Case
    rounds: Sequence[int]  # with a time
    step_s: Sequence[float]  # in each of them: seconds per step, or per epoch
    cores: float | None  # processor time over wall time, the median over rounds
    made: Sequence[Made]  # of its times: several where the code changed meanwhile, the last one last
    lost: str | None  # the status of the last run without a time; None when all have one
    reason: str | None  # why it has none

    @property
    def codes(self) -> list[str]:
        """Hashes of the model files that were measured, the last one last."""
        return [*dict.fromkeys(str(each.code) for each in self.made)]


class Outcomes(NamedTuple):
    """What all runs came to."""

    cases: Sequence[Outcome] = ()  # that have a run
    measured: int = 0  # runs with a time
    last_round: int = 0
    states: Sequence[State] = ()  # two that hold the lowest and the highest numbers of all; none where none was sampled


class Run(NamedTuple):
    """What is needed of one run: a campaign may have thousands, and each is large."""

    round: int
    status: str
    step_s: float | None
    cpu_step_s: float | None
    made: Made
    reason: str | None


def of(runs: Iterable[Record]) -> Outcomes:
    """Return what runs came to that count; one is in memory at a time."""
    cases: dict[Key, dict[int, Run]] = {}
    sampled: list[State] = []
    measured = last_round = 0
    for run in runs:
        number = run["round"]
        own = cases.setdefault(key_of(run["case"]), {})
        own[number] = Run(number, run["status"], records.time_s(run), cpu_step_s(run), made_of(run), run["reason"])
        measured += run["status"] == "ok"
        last_round = max(last_round, number)
        sampled += [run["machine_state"]] if run.get("machine_state") else []
        sampled = _extremes(sampled) if len(sampled) > MANY else sampled
    found = [_outcome(Case(*key), own.values()) for key, own in cases.items()]
    return Outcomes(found, measured, last_round, _extremes(sampled))


def restored(kept: Sequence[Any]) -> Outcomes:
    """Return outcomes that were written as JSON."""
    cases, *others = kept
    known = (Outcome(Case(*case), *rest) for case, *rest in cases)
    return Outcomes([each._replace(made=[Made(*made) for made in each.made]) for each in known], *others)


def made_of(run: Record) -> Made:
    """Return what decides whether a run's time may be pooled with another's."""
    return Made(run["code"], run["proof"], records.took_turns(run))


def cpu_step_s(run: Record) -> float | None:
    """Return a run's seconds of processor time per step; None where it was not measured."""
    steps, blocks = run.get("steps_per_block"), run.get("block_cpu_s")
    return statistics.median(blocks) / steps if blocks and steps else None


def _outcome(case: Case, runs: Collection[Run]) -> Outcome:
    measured = [run for run in runs if run.step_s is not None]
    lost = [run for run in runs if run.step_s is None]
    cores = [run.cpu_step_s / run.step_s for run in measured if run.step_s and run.cpu_step_s is not None]
    made = dict.fromkeys(run.made for run in reversed(measured))
    return Outcome(
        case=case,
        rounds=[run.round for run in measured],
        step_s=[run.step_s for run in measured if run.step_s is not None],
        cores=statistics.median(cores) if cores else None,
        made=[*reversed(made)],
        lost=lost[-1].status if lost else None,
        reason=lost[-1].reason if lost else None,
    )


def _extremes(sampled: Sequence[State]) -> list[State]:
    if not sampled:
        return []
    devices = {device: _columns([each[device] for each in sampled if each[device]]) for device in DEVICES}
    return [{device: _extreme(columns, bound) for device, columns in devices.items()} for bound in (min, max)]


def _columns(known: Sequence[Record]) -> dict[str, list[Any]]:
    """Return what is known of each number; nothing where no state tells of the device."""
    return {name: [each[name] for each in known if each[name] is not None] for name in known[0]} if known else {}


def _extreme(columns: Mapping[str, list[Any]], bound: Callable[[list[Any]], Any]) -> Record | None:
    return {name: _all(values) if name == "throttle_reasons" else bound(values) if values else None
            for name, values in columns.items()} or None  # fmt: skip


def _all(reasons: Sequence[Sequence[str]]) -> list[str]:
    return sorted({word for each in reasons for word in each})
