"""What is published and what is missing: every place that can be measured, with its rounds and its age, or why not.

A place is a workload's task in one mode of one environment. It may be asked at several batch sizes and with several
optimisers; it has a time as soon as one of these questions has.
"""

import functools
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from analysis import cache, releases
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates, Question
from analysis.groups import collected
from analysis.load.campaigns import Campaign
from analysis.load.table import Results
from analysis.stats import Row
from bench import cases, proof, registry
from bench.registry import Environment

NEVER = "never measured"
UNSUPPORTED = "unsupported"
OTHER_CODE, OTHER_PROOF, OTHER_VERSION = "other code", "other adapter or statement", "other version"
OTHER_TIMING = "other timing code"  # a label: it voids no answer
RUN = [*Question._fields, "environment", "mode", "campaign", "code", "timing"]

Key = tuple[str, str, Row]  # workload, task, environment and mode


class DatedCell(NamedTuple):
    """A published cell of a place, the day on which the first of its campaigns began, and why it is stale."""

    cell: Cell
    day: str  # as 2026-11-21
    stale: Sequence[
        str
    ]  # what the site shows and did not measure: OTHER_CODE, OTHER_PROOF, OTHER_VERSION, OTHER_TIMING


class Covered(NamedTuple):
    """One place of the grid, with the answers that were asked for, in the order of their questions."""

    workload: str
    task: str
    row: Row
    title: str  # of the environment
    is_default: bool  # whether the mode is its environment's documented one
    answers: Sequence[DatedCell]
    reason: str | None  # in a word or two, why it has no time; None where it has one

    @property
    def measured(self) -> list[DatedCell]:
        """The answers that have a time."""
        return [each for each in self.answers if each.cell.time is not None]


def places(results: Results, answers: Sequence[Estimates], machine: str) -> list[Covered]:
    """Return every place of one machine: those that can be asked for, and any other that was.

    A row that is not measured by default has places on the machines where it was measured. The first row of a framework
    of years ago has places everywhere, once it was measured on any machine. A further framework of today has a place
    only where it was asked for.
    """
    known = registry.environments()
    asked = collected(_asked(results, answers, machine, known))
    workloads = {name: number for number, name in enumerate(registry.workload_names())}
    recent = releases.of_recent_years()
    of_then = {name for name in registry.usual() if name not in recent} & {*results.runs["environment"]}
    further = {name for name in recent if not known[name].is_default}
    wanted = {*recent, *of_then, *(row[0] for _, _, row in asked)} - further
    keys = {*_askable(wanted & known.keys()), *asked}
    ordered = sorted(
        keys, key=lambda key: (workloads.get(key[0], len(workloads)), key[0], cases.TASKS.index(key[1]), key[2])
    )
    return [_place(key, asked.get(key, []), known.get(key[2][0])) for key in ordered]


def _place(key: Key, answers: Sequence[DatedCell], environment: Environment | None) -> Covered:
    workload, task, (_, mode) = key
    if environment is None:  # of results that know more than this repository
        title, is_default, otherwise = answers[-1].cell.title, answers[-1].cell.is_default, NEVER
    else:
        title, is_default = environment.title, mode in [each.name for each in registry.modes(environment, task)[:1]]
        otherwise = NEVER if registry.answers(environment, workload) else UNSUPPORTED
    reason = answers[-1].cell.status.replace("_", " ") if answers else otherwise
    has_time = any(each.cell.time is not None for each in answers)
    return Covered(*key, title, is_default, answers, None if has_time else reason)


def _askable(wanted: set[str]) -> set[Key]:
    """Return all that `python -m bench run` can be asked for of these environments, by its own rules."""
    selected = cases.select(cases.Selection(tasks=cases.STEPS + cases.EPOCHS, tiers=cases.TIERS), dict.fromkeys(wanted))
    return {(case.workload, case.task, (case.environment, case.mode)) for case in selected}


def _asked(
    results: Results, answers: Sequence[Estimates], machine: str, known: dict[str, Environment]
) -> Iterator[tuple[Key, DatedCell]]:
    """Yield what was asked of one machine, with the day of its campaign and whether it is stale."""
    campaigns = {each.name: each for each in results.shown if each.machine == machine}
    runs = results.runs.loc[results.runs["machine"] == machine, RUN].drop_duplicates().itertuples(index=False)
    measured = collected(((Question(*about), (environment, mode)), (campaigns[str(campaign)], code, timing))
                         for *about, environment, mode, campaign, code, timing in runs)  # fmt: skip
    for answer in answers:
        about = answer.question
        for cell in answer.cells if about.machine == machine else ():
            of_cell = measured[about, cell.row]
            newest = of_cell[-1][0]
            codes = {code for _, code, _ in of_cell if isinstance(code, str)}
            timings = {timing for *_, timing in of_cell if isinstance(timing, str)}
            stale = _stale(cell, about.workload, codes, newest, known)
            stale += [OTHER_TIMING] if timings and timings != {proof.timing_hash()} else []
            yield (about.workload, about.task, cell.row), DatedCell(cell, [*cell.days, newest.day][0], stale)


def _stale(cell: Cell, workload: str, codes: set[str], campaign: Campaign, known: dict[str, Environment]) -> list[str]:
    environment = known.get(cell.row[0])
    if cell.time is None or environment is None:
        return []
    other = code_since(environment, workload, codes, cell.proofs, campaign)
    return [*([other] if other else []), *([OTHER_VERSION] if cell.title != environment.title else [])]


def code_since(
    environment: Environment, workload: str, codes: Collection[str], proofs: Collection[str], campaign: Campaign
) -> str | None:
    """Return which code of some runs of one campaign is not as it is now; None where all is, or there is none now.

    A proof is a hash of model file, adapter, statement and versions. With the versions that the campaign loaded, it
    differs if one of the files does.
    """
    now = shown_code(environment, workload)
    if now is None or not registry.has_workload(workload):
        return None
    if set(codes) - {now}:
        return OTHER_CODE
    measured = campaign.environments.get(environment.name)
    loaded = measured.loaded if measured else {}
    now_proof = _proof(workload, environment.name, tuple(sorted(loaded.items())))
    return None if all(proof.same(each, now_proof) for each in proofs) else OTHER_PROOF


@functools.cache
def _proof(workload: str, environment: str, loaded: tuple[tuple[str, str | None], ...]) -> str:
    """Return the hash that a proof of the code as it is now would have, in the versions that were loaded then."""
    inputs = [_bench(), workload, environment, repr(loaded)]
    known = registry.environments()[environment]
    return str(cache.recall("proofs", inputs, lambda: proof.proof_hash(workload, known, dict(loaded)), ()))


@functools.cache
def _bench() -> str:
    """Return a hash of all that a proof may be a hash of, and of what makes it."""
    return cache.folder(Path(registry.HERE))


def shown_code(environment: Environment, workload: str) -> str | None:
    """Return the hash of the file that the site shows as an environment's answer; None where there is no such file."""
    is_answered = registry.answers(environment, workload)
    return proof.code_hash(registry.model_path(environment, workload)) if is_answered else None


def age_days(of: str, newest: str) -> int:
    """Return how many days lie between a day and the newest campaign's: never "until now", which changes."""
    return (date.fromisoformat(newest) - date.fromisoformat(of)).days
