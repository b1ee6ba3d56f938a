"""What was compared: pairs.csv in shared rounds; sets.csv and comparisons.csv of sets that share no rounds."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from analysis.compare.baseline import CaseTimes
from analysis.compare.unpaired import Set, SetComparison, Unpaired, question_of
from analysis.data.schema import ASKED, Column, Table, asked, bounded, count, flag, measure
from analysis.estimate import crosscheck
from analysis.estimate.crosscheck import Check
from analysis.estimate.estimates import Estimates, Question
from analysis.estimate.pairs import Pair
from analysis.found import Found
from analysis.load.table import Results
from analysis.site.pages import compare


class Compared(NamedTuple):
    """A pair of competitors beside its question."""

    answer: Estimates
    pair: Pair
    check: Check


def _pairs(found: Found) -> Iterator[Compared]:
    """Yield every pair, question by question."""
    for results, answers in ((found.results, found.answers), (found.results.ablations, found.changed)):
        for answer in answers:
            for pair, check in zip(answer.pairs, _checks(results, answer), strict=True):
                yield Compared(answer, pair, check)


def _checks(results: Results, answer: Estimates) -> Sequence[Check]:
    return crosscheck.checks(results, [answer], answer.pairs) if answer.pairs else []


def _verdict(each: Compared) -> str:
    if each.pair.ratio.low is None:
        return "too few rounds"
    words = {"faster": "slower" if each.pair.ratio.value > 1 else "faster", "equivalent": "tie"}
    return words.get(each.pair.claim, "not significant")


SIDES = [Column(f"{what}_{side}", f"{what} of {side}", f"pair.{side}.{place}")
         for side in "ab" for place, what in enumerate(("environment", "mode"))]  # fmt: skip

PAIRS = Table("pairs.csv", "Every two competitors that share rounds of one question.",
              [*ASKED, *(side.name for side in SIDES)], [
    *asked("answer.question"),
    *SIDES,
    *bounded("ratio", "time of b over time of a, paired within rounds", "pair.ratio"),
    measure("half_width", "relative half-width of the interval", "pair.ratio.half_width"),
    count("rounds", "rounds that both share", "pair.ratio.rounds"),
    measure("p", "p-value of a difference beyond 1 %, adjusted for all pairs of the question", "pair.p"),
    Column("verdict", "b is slower, faster, a tie (within 2 %), not significant, or of too few rounds", _verdict),
    measure("resampled_low", "lower bound by the bootstrap", "check.resampled.low"),
    measure("resampled_high", "upper bound by the bootstrap", "check.resampled.high"),
    Column("disagreement", "where the bootstrap contradicts the interval", "check.disagreement"),
], _pairs)  # fmt: skip


class Row(NamedTuple):
    """A case of two sets."""

    comparison: SetComparison
    row: Unpaired
    asked: Question  # of the second


class Listed(NamedTuple):
    """A set, its kind, and its cases with a time."""

    kind: str
    own: Set
    timed: list[CaseTimes]


def _rows(found: Found) -> Iterator[Row]:
    for comparison in found.compared.comparisons:
        yield from (Row(comparison, row, question_of(row.second)) for row in comparison.rows)


def _sets(found: Found) -> Iterator[Listed]:
    for kind, own in found.compared.sets.items():
        yield from (Listed(kind, each, [cell for cell in each.cells.values() if cell.step_s]) for each in own)


def _both(name: str, about: str, way: str, kind: type = str) -> list[Column]:
    """Return a column for each of two sets; `way` leads to its value from the set's times of a case."""
    return [Column(f"{name}_{side}", f"{about} of the {side} set", f"row.{side}.{way}", "", kind)
            for side in ("first", "second")]  # fmt: skip


COMPARISONS = Table("comparisons.csv", "Every case of two sets of results that share no rounds.", [
    "kind", "first", "second", *ASKED[1:], "environment_first", "mode_first", "environment_second", "mode_second"], [
    Column("kind", "machines, campaigns (of one machine) or versions", "comparison.kind"),
    Column("first", "name of the first set", "comparison.first.name"),
    Column("second", "name of the second set", "comparison.second.name"),
    *asked("asked", ASKED[1:], "{} of the second set, as in cells.csv"),
    *_both("environment", "environment", "case.environment"),
    *_both("mode", "mode", "case.mode"),
    *_both("time_s", "mean time", "mean_s", float),
    count("rounds_first", "rounds of the first set", lambda each: len(each.row.first.step_s)),
    count("rounds_second", "rounds of the second set", lambda each: len(each.row.second.step_s)),
    *bounded("ratio", "time in the second over that in the first", "row.ratio"),
    Column("verdict", "longer, shorter, alike, not significant, too few rounds or no ratio",
           lambda each: compare.verdict(each.row)),
    flag("is_paired", "whether both were measured in the rounds of one campaign", "row.is_paired"),
    Column("differs", "what else differs, or why there is no ratio", "row.differs"),
], _rows)  # fmt: skip


SETS = Table("sets.csv", "Every set of results: a machine, a campaign, or a version in its default mode.",
             ["kind", "name"], [
    Column("kind", "machines, campaigns or versions"),
    Column("name", "name of the set", "own.name"),
    Column("title", "title of the set", "own.title"),
    Column("machine", "name of the machine in the results", "own.machine"),
    count("cases", "cases", lambda each: len(each.own.cells)),
    count("measured", "cases with a time", lambda each: len(each.timed)),
    count("rounds", "rounds of all cases", lambda each: sum(len(cell.step_s) for cell in each.timed)),
    count("workloads", "workloads with a time", lambda each: len({cell.case.workload for cell in each.timed})),
    Column("campaigns", "campaigns that its cases come from", lambda each: [own.name for own in each.own.campaigns]),
    Column("days", "days on which they began", "own.days"),
], _sets)  # fmt: skip
