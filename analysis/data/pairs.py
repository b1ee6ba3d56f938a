"""Every pair of competitors that share rounds: the rows of pairs.csv."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from analysis.data.schema import Column, Table
from analysis.estimate import crosscheck
from analysis.estimate.crosscheck import Check
from analysis.estimate.estimates import Estimates
from analysis.estimate.pairs import Pair
from analysis.found import Found
from analysis.load.table import Results

ASKED = ("machine", "workload", "task", "batch_size", "optimizer", "precision", "device", "threads", "tier", "data")
SIDES = ("environment_a", "mode_a", "environment_b", "mode_b")


class Compared(NamedTuple):
    """A pair beside its question."""

    answer: Estimates
    pair: Pair
    check: Check


def rows(found: Found) -> Iterator[Compared]:
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


def _asked(name: str) -> Column:
    kind = int if name in ("batch_size", "threads") else str
    return Column(name, f"{name}, as in cells.csv", lambda each: getattr(each.answer.question, name), "", kind)


def _side(name: str) -> Column:
    """Return the environment, or the mode, of a or b."""
    place = int(name.startswith("mode"))
    return Column(name, f"{name[:-2]} of {name[-1]}", lambda each: getattr(each.pair, name[-1])[place])


COLUMNS = [
    *map(_asked, ASKED),
    *map(_side, SIDES),
    Column("ratio", "time of b over time of a, paired within rounds", lambda each: each.pair.ratio.value, "1", float),
    Column("ratio_low", "lower bound of the 99 % interval", lambda each: each.pair.ratio.low, "1", float),
    Column("ratio_high", "upper bound of the 99 % interval", lambda each: each.pair.ratio.high, "1", float),
    Column("half_width", "relative half-width of the interval", lambda each: each.pair.ratio.half_width, "1", float),
    Column("rounds", "rounds that both share", lambda each: each.pair.ratio.rounds, "", int),
    Column("p", "p-value of a difference beyond 1 %, adjusted for all pairs of the question", lambda each: each.pair.p,
           "1", float),
    Column("verdict", "b is slower, faster, a tie (within 2 %), not significant, or of too few rounds", _verdict),
    Column("resampled_low", "lower bound by the bootstrap", lambda each: each.check.resampled.low, "1", float),
    Column("resampled_high", "upper bound by the bootstrap", lambda each: each.check.resampled.high, "1", float),
    Column("disagreement", "where the bootstrap contradicts the interval", lambda each: each.check.disagreement),
]  # fmt: skip

TABLE = Table("pairs.csv", "Every two competitors that share rounds of one question.", [*ASKED, *SIDES], COLUMNS, rows)
