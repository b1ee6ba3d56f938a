"""How much the rounds settled and at what cost, by workload and number of threads."""

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from analysis import units
from analysis.estimate import lineage
from analysis.estimate.estimates import Estimates, Question, estimate_all
from analysis.estimate.pairs import Pair
from analysis.groups import grouped
from analysis.load.history import Key
from analysis.load.table import Results
from bench.units import aligned

CLEAR = 1.05  # a ratio that a reader would want to know
HEADER = ("workload", "pairs", "claimed", "equivalent", "unresolved", "beyond 5 %", "of them claimed",
          "median half-width", "largest", "rounds", "seconds", "per claim")  # fmt: skip
ALL = "all"


class Precision(NamedTuple):
    """What the pairs of some questions came to."""

    pairs: int
    claimed: int
    equivalent: int
    unresolved: int
    beyond: int  # pairs whose ratio, or its inverse, is larger than CLEAR
    beyond_claimed: int
    half_width_median: float | None  # of the pairs that have an interval; 0.01 is 1 %
    half_width_largest: float | None
    rounds: int  # that have a time: of each question, added up
    measuring_s: float  # of the processes whose times these are

    @property
    def beyond_share(self) -> float | None:
        """Which share of the pairs that are clearly apart is claimed."""
        return self.beyond_claimed / self.beyond if self.beyond else None

    @property
    def claim_s(self) -> float | None:
        """The seconds of measuring for each claim."""
        return self.measuring_s / self.claimed if self.claimed else None


def reached(results: Results, default_modes: bool = False) -> dict[str, Precision]:
    """Return what is reached by machine, workload and threads, by machine and threads, and in all: among all modes.

    With `default_modes`, among the default modes of today's versions. A single machine is not named.
    """
    answers = estimate_all(results)
    answers = [lineage.of_today(each) for each in answers] if default_modes else answers
    known = [each for each in answers if each.pairs]
    rounds, seconds = _cost(results, known)
    ordered = sorted(known, key=lambda answer: (answer.question.machine, answer.question.threads))

    def title(about: Question, name: str) -> str:
        machine = f"{about.machine}: " if len(results.machines) > 1 else ""
        return f"{machine}{name}, {units.count(about.threads, 'thread')}"

    parts = grouped(ordered, lambda answer: title(answer.question, answer.question.workload))
    parts |= grouped(ordered, lambda answer: title(answer.question, ALL))
    parts[ALL] = known
    return {name: _reached([pair for each in own for pair in each.pairs],
                           sum(rounds[each.question.key] for each in own),
                           sum(seconds[each.question.key] for each in own))
            for name, own in parts.items()}  # fmt: skip


def _cost(results: Results, answers: Iterable[Estimates]) -> tuple[dict[Key, int], dict[Key, float]]:
    """Return the rounds of each question, and the seconds that the processes of its current results took."""
    rows = {(*each.question.key, *cell.row) for each in answers for cell in each.measured}
    columns = ["machine", "question", "environment", "mode", "round", "duration_s"]
    rounds: dict[Key, set[int]] = {}
    seconds: dict[Key, float] = {}
    for *key, number, duration_s in results.runs.loc[results.runs["step_s"].notna(), columns].itertuples(False, None):
        if tuple(key) in rows:
            asked = key[0], key[1]
            rounds.setdefault(asked, set()).add(number)
            seconds[asked] = seconds.get(asked, 0.0) + duration_s
    return {key: len(own) for key, own in rounds.items()}, seconds


def _reached(pairs: Sequence[Pair], rounds: int, seconds: float) -> Precision:
    claims = [pair.claim for pair in pairs]
    beyond = [pair for pair in pairs if max(pair.ratio.value, 1 / pair.ratio.value) > CLEAR]
    widths = [pair.ratio.half_width for pair in pairs if pair.ratio.half_width is not None]
    return Precision(
        len(pairs), claims.count("faster"), claims.count("equivalent"), claims.count("unresolved"), len(beyond),
        sum(pair.claim == "faster" for pair in beyond), statistics.median(widths) if widths else None,
        max(widths, default=None), rounds, seconds,
    )  # fmt: skip


def text(found: Mapping[str, Precision]) -> str:
    """Return it as a table, a line for each workload at each number of threads, and sums."""
    return "\n".join(aligned([HEADER, *(_line(name, each) for name, each in found.items())], left=1))


def _line(name: str, each: Precision) -> Sequence[str]:
    share = units.NONE if each.beyond_share is None else f"{each.beyond_claimed} ({100 * each.beyond_share:.0f} %)"
    numbers = (each.pairs, each.claimed, each.equivalent, each.unresolved, each.beyond)
    widths = (units.width(each.half_width_median), units.width(each.half_width_largest))
    claim = units.NONE if each.claim_s is None else f"{each.claim_s:,.0f}"
    return (name, *map(str, numbers), share, *widths, str(each.rounds), f"{each.measuring_s:,.0f}", claim)


def as_json(found: Mapping[str, Precision]) -> str:
    """Return it as JSON: by workload and threads, the fields of `Precision` and what follows from them."""
    made = {name: {**each._asdict(), "beyond_share": each.beyond_share, "claim_s": each.claim_s}
            for name, each in found.items()}  # fmt: skip
    return json.dumps(made, indent=1)
