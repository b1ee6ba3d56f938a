"""Sets of results that share no rounds: sets.csv, and comparisons.csv with each case of each two sets."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from analysis.compare.unpaired import Set, SetComparison, Unpaired, question_of
from analysis.data.schema import Column, Table
from analysis.found import Found
from analysis.site.pages import compare

ASKED = ("workload", "task", "batch_size", "optimizer", "precision", "device", "threads", "tier", "data")


class Row(NamedTuple):
    """A case of two sets."""

    comparison: SetComparison
    row: Unpaired


class Listed(NamedTuple):
    """A set and its kind."""

    kind: str
    own: Set


def _rows(found: Found) -> Iterator[Row]:
    for comparison in found.compared.comparisons:
        yield from (Row(comparison, row) for row in comparison.rows)


def _sets(found: Found) -> Iterator[Listed]:
    for kind, own in found.compared.sets.items():
        yield from (Listed(kind, each) for each in own)


def _asked(name: str) -> Column:
    kind = int if name in ("batch_size", "threads") else str
    return Column(name, f"{name} of the second set, as in cells.csv",
                  lambda each: getattr(question_of(each.row.second), name), "", kind)  # fmt: skip


def _side(side: str, name: str, about: str, of: Callable[[Unpaired, str], object], kind: type = str) -> Column:
    return Column(f"{name}_{side}", f"{about} of the {side} set", lambda each: of(each.row, side), "", kind)


def _both(name: str, about: str, of: Callable[[Unpaired, str], object], kind: type = str) -> list[Column]:
    return [_side(side, name, about, of, kind) for side in ("first", "second")]


def _bound(name: str) -> Callable[[Row], float | None]:
    return lambda each: getattr(each.row.ratio, name) if each.row.ratio else None


COMPARISONS = Table("comparisons.csv", "Every case of two sets of results that share no rounds.", [
    "kind", "first", "second", *ASKED, "environment_first", "mode_first", "environment_second", "mode_second"], [
    Column("kind", "machines, campaigns (of one machine) or versions", lambda each: each.comparison.kind),
    Column("first", "name of the first set", lambda each: each.comparison.first.name),
    Column("second", "name of the second set", lambda each: each.comparison.second.name),
    *(_asked(name) for name in ASKED),
    *_both("environment", "environment", lambda row, side: getattr(row, side).case.environment),
    *_both("mode", "mode", lambda row, side: getattr(row, side).case.mode),
    *_both("time_s", "mean time", lambda row, side: getattr(row, side).mean_s, float),
    *_both("rounds", "rounds", lambda row, side: len(getattr(row, side).step_s), int),
    Column("ratio", "time in the second over that in the first", _bound("value"), "1", float),
    Column("ratio_low", "lower bound of the 99 % interval", _bound("low"), "1", float),
    Column("ratio_high", "upper bound of the 99 % interval", _bound("high"), "1", float),
    Column("verdict", "longer, shorter, alike, not significant, too few rounds or no ratio",
           lambda each: compare.verdict(each.row)),
    Column("is_paired", "whether both were measured in the rounds of one campaign", lambda each: each.row.is_paired,
           "", bool),
    Column("differs", "what else differs, or why there is no ratio", lambda each: each.row.differs),
], _rows)  # fmt: skip

SETS = Table("sets.csv", "Every set of results: a machine, a campaign, or a version in its default mode.",
             ["kind", "name"], [
    Column("kind", "machines, campaigns or versions", lambda each: each.kind),
    Column("name", "name of the set", lambda each: each.own.name),
    Column("title", "title of the set", lambda each: each.own.title),
    Column("machine", "name of the machine in the results", lambda each: each.own.machine),
    Column("cases", "cases", lambda each: len(each.own.cells), "", int),
    Column("measured", "cases with a time",
           lambda each: sum(bool(cell.step_s) for cell in each.own.cells.values()), "", int),
    Column("rounds", "rounds of all cases",
           lambda each: sum(len(cell.step_s) for cell in each.own.cells.values()), "", int),
    Column("workloads", "workloads with a time",
           lambda each: len({cell.case.workload for cell in each.own.cells.values() if cell.step_s}), "", int),
    Column("campaigns", "campaigns that its cases come from", lambda each: [own.name for own in each.own.campaigns]),
    Column("days", "days on which they began", lambda each: each.own.days),
], _sets)  # fmt: skip

TABLES = [COMPARISONS, SETS]
