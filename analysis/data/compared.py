"""What was compared: pairs.csv in shared rounds; sets.csv and comparisons.csv of sets that share no rounds."""

from collections.abc import Iterator

from analysis.compare.unpaired import question_of
from analysis.data.cells import verdict_of
from analysis.data.schema import ASKED, Column, Row, Table, asked, bounded, count, flag, measure
from analysis.estimate import crosscheck
from analysis.found import Found
from analysis.site.pages import compare


def _pairs(found: Found) -> Iterator[Row]:
    """Yield every pair beside its question, question by question."""
    for results, answers in ((found.results, found.answers), (found.results.ablations, found.changed)):
        for answer in answers:
            checks = crosscheck.checks(results, [answer], answer.pairs) if answer.pairs else []
            for pair, check in zip(answer.pairs, checks, strict=True):
                yield {"question": answer.question, "pair": pair, "check": check, "verdict": verdict_of(pair)}


SIDES = [Column(f"{what}_{side}", f"{what} of {side}", f"pair.{side}.{place}")
         for side in "ab" for place, what in enumerate(("environment", "mode"))]  # fmt: skip

PAIRS = Table("pairs.csv", "Every two competitors that share rounds of one question.",
              [*ASKED, *(side.name for side in SIDES)], [
    *asked("question"),
    *SIDES,
    *bounded("ratio", "time of b over time of a, paired within rounds", "pair.ratio"),
    measure("half_width", "relative half-width of the interval", "pair.ratio.half_width"),
    count("rounds", "rounds that both share", "pair.ratio.rounds"),
    measure("p", "p-value of a difference beyond 1 %, adjusted for all pairs of the question", "pair.p"),
    Column("verdict", "b is slower, faster, a tie (within 2 %), not significant, or of too few rounds"),
    measure("resampled_low", "lower bound by the bootstrap", "check.resampled.low"),
    measure("resampled_high", "upper bound by the bootstrap", "check.resampled.high"),
    Column("disagreement", "where the bootstrap contradicts the interval", "check.disagreement"),
], _pairs)  # fmt: skip


def _rows(found: Found) -> Iterator[Row]:
    """Yield every case of two sets; the question is that of the second."""
    for comparison in found.compared.comparisons:
        for row in comparison.rows:
            yield {**row._asdict(), "comparison": comparison, "asked": question_of(row.second),
                   "verdict": compare.verdict(row)}  # fmt: skip


def _sets(found: Found) -> Iterator[Row]:
    """Yield every set with its kind, and how much of it has a time."""
    for kind, sets in found.compared.sets.items():
        for each in sets:
            timed = [cell for cell in each.cells.values() if cell.step_s]
            yield {
                "kind": kind, "set": each, "cases": len(each.cells), "measured": len(timed),
                "rounds": sum(len(cell.step_s) for cell in timed),
                "workloads": len({cell.case.workload for cell in timed}),
                "campaigns": [campaign.name for campaign in each.campaigns],
            }  # fmt: skip


def _both(name: str, about: str, way: str, kind: type = str) -> list[Column]:
    """Return a column for each of two sets; `way` leads to its value from the set's times of a case."""
    return [Column(f"{name}_{side}", f"{about} of the {side} set", f"{side}.{way}", "", kind)
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
    count("rounds_first", "rounds of the first set", lambda row: len(row["first"].step_s)),
    count("rounds_second", "rounds of the second set", lambda row: len(row["second"].step_s)),
    *bounded("ratio", "time in the second over that in the first", "ratio"),
    Column("verdict", "longer, shorter, alike, not significant, too few rounds or no ratio"),
    flag("is_paired", "whether both were measured in the rounds of one campaign"),
    Column("differs", "what else differs, or why there is no ratio"),
], _rows)  # fmt: skip


SETS = Table("sets.csv", "Every set of results: a machine, a campaign, or a version in its default mode.",
             ["kind", "name"], [
    Column("kind", "machines, campaigns or versions"),
    Column("name", "name of the set", "set.name"),
    Column("title", "title of the set", "set.title"),
    Column("machine", "name of the machine in the results", "set.machine"),
    count("cases", "cases"),
    count("measured", "cases with a time"),
    count("rounds", "rounds of all cases"),
    count("workloads", "workloads with a time"),
    Column("campaigns", "campaigns that its cases come from"),
    Column("days", "days on which they began", "set.days"),
], _sets)  # fmt: skip
