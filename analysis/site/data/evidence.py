"""Evidence that no page holds: coverage, parity of every two answers, controls and published numbers."""

import math
from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Any, NamedTuple

from analysis import controls, literature
from analysis.compare import coverage
from analysis.compare.coverage import Covered
from analysis.controls import Control
from analysis.site.data.schema import Column, Table
from analysis.site.pages import Found
from bench import parity

Line = Mapping[str, Any]


class Place(NamedTuple):
    """A place of one machine."""

    machine: str
    covered: Covered


class Finding(NamedTuple):
    """One value of a control's evidence."""

    machine: str
    name: str
    judged: Control
    row: int
    column: str
    value: str


def places(found: Found) -> Iterator[Place]:
    """Yield everything that can be asked of each machine, measured or not."""
    for machine in found.results.machines:
        yield from (Place(machine, each) for each in coverage.places(found.results, found.answers, machine))


def largest(comparison: parity.Comparison | None) -> tuple[float, str]:
    """Return a comparison's largest error as a share of its tolerance, and its quantity; infinite without one."""
    if comparison is None:
        return math.inf, ""
    shares = [(error / parity.TOLERANCES[kind], kind) for kind, error in comparison.errors.items()]
    return max((math.inf if math.isnan(share) else share, kind) for share, kind in shares)


def findings(found: Found) -> Iterator[Finding]:
    """Yield the evidence of every control, value by value; one row without a value where there is none."""
    for machine, judged in found.controls.items():
        for name, each in judged.items():
            if each.evidence.empty:
                yield Finding(machine, name, each, 0, "", "")
            for number, row in enumerate(each.evidence.itertuples(index=False), 1):
                values = zip(each.evidence.columns, row, strict=True)
                yield from (Finding(machine, name, each, number, str(column), str(value)) for column, value in values)


def _place(name: str, about: str, kind: type = str) -> Column:
    return Column(name, about, lambda each: getattr(each.covered, name), "", kind)


def _rounds(pick: Any) -> Any:
    return lambda each: pick((own.cell.rounds for own in each.covered.measured), default=None)


COVERAGE = Table("coverage.csv", "Everything that can be asked of each machine, with rounds, or the reason why not.",
    ["machine", "workload", "task", "environment", "mode"], [
    Column("machine", "name of the machine", lambda each: each.machine),
    _place("workload", "name of the workload"),
    _place("task", "task, as in cells.csv"),
    Column("environment", "name of the environment", lambda each: each.covered.row[0]),
    Column("mode", "mode of the environment", lambda each: each.covered.row[1]),
    _place("is_default", "whether the mode is the documented one", bool),
    Column("questions", "batch sizes and optimisers that were asked", lambda each: len(each.covered.answers), "", int),
    Column("measured", "of these, how many have a time", lambda each: len(each.covered.measured), "", int),
    Column("rounds_least", "fewest rounds of a question", _rounds(min), "", int),
    Column("rounds_most", "most rounds of a question", _rounds(max), "", int),
    Column("day", "day of the oldest campaign",
           lambda each: min((own.day for own in each.covered.measured), default="")),
    Column("stale", "what changed since: code, adapter or statement, version, timing code",
           lambda each: sorted({why for own in each.covered.measured for why in own.stale})),
    _place("reason", "why there is no time"),
    Column("note", "what the newest case without a time reported",
           lambda each: each.covered.answers[-1].cell.reason if each.covered.reason and each.covered.answers else ""),
], places)  # fmt: skip


def _line(name: str, about: str, kind: type = str) -> Column:
    return Column(name, about, lambda line: line[name], "", kind)


PARITY = Table("parity.csv", "Every two kept answers to one question, compared.",
    ["workload", "optimizer", "environment_a", "mode_a", "environment_b", "mode_b"], [
    _line("workload", "name of the workload"), _line("optimizer", "none: inference"),
    _line("environment_a", "whose answer"), _line("mode_a", "in which mode"),
    _line("environment_b", "compared with whose"), _line("mode_b", "in which mode"),
    _line("passes", "whether all errors are within their tolerances", bool),
    Column("share", "largest error as a share of its tolerance", lambda line: largest(line["comparison"])[0], "1",
           float),
    Column("quantity", "the quantity with that error", lambda line: largest(line["comparison"])[1]),
    _line("reason", "why the comparison does not pass"),
], lambda found: found.matrix)  # fmt: skip

CONTROLS = Table("controls.csv", "The controls: verdict, finding and evidence, value by value.",
    ["machine", "control", "row", "column"], [
    Column("machine", "name of the machine", lambda each: each.machine),
    Column("control", "name of the control", lambda each: each.name),
    Column("title", "the question it answers", lambda each: controls.about(controls.found()[each.name]).title),
    Column("criterion", "when it passes", lambda each: controls.about(controls.found()[each.name]).criterion),
    Column("verdict", "passes, fails or open", lambda each: each.judged.verdict),
    Column("finding", "what came", lambda each: each.judged.finding),
    Column("measured", "its campaign", lambda each: each.judged.measured),
    Column("subject", "the program that was measured", lambda each: each.judged.subject),
    Column("row", "number of a row of the evidence", lambda each: each.row, "", int),
    Column("column", "heading of a column of the evidence", lambda each: each.column),
    Column("value", "value, with its unit", lambda each: each.value),
], findings)  # fmt: skip

PUBLISHED = Table("published.csv", "Numbers that the articles printed, with their hardware.",
    ["source", "table", "workload", "framework", "hardware", "metric"], [
    Column(name, about, attrgetter(name)) for name, about in {
        "source": "the article and its year", "table": "its table or chart", "workload": "our name of the network",
        "framework": "as printed", "hardware": "as printed", "metric": "what was measured", "value": "as printed",
        "unit": "unit of the value", "note": "what the article says of the number",
    }.items()
], lambda _: literature.figures())  # fmt: skip

TABLES = [COVERAGE, PARITY, CONTROLS, PUBLISHED]
