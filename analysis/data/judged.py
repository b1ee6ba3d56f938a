"""What was compared and judged: pairs, sets that share no rounds, parity, controls, coverage and lessons."""

from collections import Counter
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any

from analysis import controls
from analysis.compare import coverage
from analysis.compare.unpaired import question_of
from analysis.data.cells import verdict_of
from analysis.data.schema import (
    ASKED,
    Column,
    Row,
    Table,
    asked,
    bounded,
    count,
    flag,
    json_text,
    measure,
    number,
    reader,
)
from analysis.estimate import crosscheck
from analysis.estimate.estimates import Question
from analysis.found import Found
from analysis.groups import grouped
from analysis.lessons import verdicts, wording
from analysis.site.pages import checked, compare


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
    """Return every case of two sets; the question is that of the second."""
    return ({**row._asdict(), "comparison": comparison, "asked": question_of(row.second),
             "verdict": compare.verdict(row)}
            for comparison in found.compared.comparisons for row in comparison.rows)  # fmt: skip


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


ANSWER = ("workload", "optimizer", "environment", "mode")


def _answers(found: Found) -> Iterator[Row]:
    """Yield each kept answer beside all others to its question."""
    key = attrgetter("workload", "optimizer", "environment_a", "mode_a")
    for names, lines in grouped(sorted(found.matrix, key=key), key).items():
        failed = [line for line in lines if not line.passes]
        (error, quantity), worst = max(((checked.largest(line.comparison), line) for line in lines),
                                       key=lambda pair: pair[0][0])  # fmt: skip
        yield {
            **dict(zip(ANSWER, names, strict=True)), "passed": len(lines) - len(failed), "compared": len(lines),
            "largest_error": error, "quantity": quantity, "against": f"{worst.environment_b}, {worst.mode_b}",
            "failures": [f"{line.environment_b} ({line.mode_b}): {line.reason}" for line in failed],
        }  # fmt: skip


PARITY = Table("parity.csv", "Every kept answer beside all others to its question.", ANSWER, [
    *(Column(name, f"{name}, as in cells.csv") for name in ANSWER),
    count("passed", "comparisons that pass"),
    count("compared", "comparisons"),
    measure("largest_error", "largest error as a share of its tolerance"),
    Column("quantity", "what that error is of"),
    Column("against", "the environment and mode that it is against"),
    Column("failures", "what does not pass, with why"),
], _answers)  # fmt: skip


def _controls(found: Found) -> Iterator[Row]:
    return ({**control._asdict(), **controls.about(controls.found()[name])._asdict(), "machine": machine,
             "control": name, "verdict": control.verdict}
            for machine, judged in found.controls.items() for name, control in judged.items())  # fmt: skip


def _evidence(found: Found) -> Iterator[Row]:
    return ({**control, "row": place, "column": column, "value": value} for control in _controls(found)
            for place, row in enumerate(control["evidence"].to_dict("records"), 1)
            for column, value in row.items())  # fmt: skip


OF_CONTROL = [Column("machine", "name of the machine in the results"), Column("control", "name of the control")]

CONTROLS = Table("controls.csv", "Every control of the measurement with its verdict.", ["machine", "control"], [
    *OF_CONTROL,
    Column("title", "title"),
    Column("verdict", "passes, fails or open"),
    Column("finding", "what came"),
    Column("criterion", "when it passes"),
    Column("measured", "the campaign"),
    Column("subject", "the program that was measured"),
], _controls)  # fmt: skip

EVIDENCE = Table("control_evidence.csv", "The evidence of each control, a line for each cell of its table.",
                 ["machine", "control", "row", "column"], [
    *OF_CONTROL,
    count("row", "number of the row"),
    Column("column", "heading of the column"),
    Column("value", "value with its unit and interval"),
], _evidence)  # fmt: skip


def _places(found: Found) -> Iterator[Row]:
    newest = max((campaign.day for campaign in found.results.shown), default="")
    for machine in found.results.machines:
        for place in checked.places_of(found)[machine]:
            rounds = [dated.cell.rounds for dated in place.measured]
            day = min((dated.day for dated in place.measured), default=None)
            yield {
                "machine": machine, "place": place, "rounds_least": min(rounds, default=None),
                "rounds_most": max(rounds, default=None), "day": day,
                "age_days": coverage.age_days(day, newest) if day else None,
                "stale": sorted({why for dated in place.measured for why in dated.stale}),
            }  # fmt: skip


COVERAGE = Table("coverage.csv", "Every workload and task in each mode on each machine: measured, or why not.",
                 ["machine", "workload", "task", "environment", "mode"], [
    Column("machine", "name of the machine in the results"),
    Column("workload", "name of the workload", "place.workload"),
    Column("task", "as in cells.csv", "place.task"),
    Column("environment", "name of the environment", "place.row.0"),
    Column("mode", "mode", "place.row.1"),
    flag("is_default", "whether the mode is the documented one", "place.is_default"),
    count("asked", "questions that were asked", lambda row: len(row["place"].answers)),
    count("measured", "questions with a time", lambda row: len(row["place"].measured)),
    count("rounds_least", "fewest rounds"),
    count("rounds_most", "most rounds"),
    Column("day", "day on which the oldest campaign began"),
    count("age_days", "days from then to the newest campaign"),
    Column("stale", "what has changed since"),
    Column("reason", "why there is no time, in a word", "place.reason"),
], _places)  # fmt: skip

TABLES = [PARITY, CONTROLS, EVIDENCE, COVERAGE]

COMPARISON = [
    *asked("question", Question._fields, ""),
    Column("sides", "what is divided: the first by the second", kind=list),
    Column("environments", "titles of the environments of both sides", kind=list),
    Column("told", ""),
    measure("ratio", "the first side's time, or other measure, over the second's", "ratio.value"),
    measure("low", "lower bound of the 99 % interval", "ratio.low"),
    measure("high", "upper bound of the 99 % interval", "ratio.high"),
    count("rounds", "rounds that both sides share", "ratio.rounds"),
    Column("verdict", ""),
]
LESSON = [
    Column("id", "", "about.id"),
    Column("source", "", "about.source"),
    Column("claim", "", "title"),
    Column("verdict", ""),
    Column("finding", "", "claim"),
    Column("why", "", lambda lesson: lesson.reason or ""),
    Column("advice", ""),
    Column("found_then", "", "about.value_then"),
    Column("expected", "", "about.expected"),
    Column("where", "", "about.where"),
]
JSON_TYPES: dict[type, Row] = {
    str: {"type": "string"}, int: {"type": "integer"}, float: {"type": ["number", "null"]},
    list: {"type": "array", "items": {"type": "string"}},
}  # fmt: skip


def lessons(found: Found) -> str:
    """Return the lessons in the order of their claims, below the rules that decide."""
    rules = {
        "comparison": [list(rule) for rule in verdicts.COMPARISONS],
        "lesson": [[rule.verdict, rule.words] for rule in verdicts.RULES],
    }
    judged = [{**_values(LESSON, lesson),
               "counts": dict(sorted(Counter(effect.verdict for effect in lesson.effects).items())),
               "comparisons": [_values(COMPARISON, effect) for effect in wording.order(lesson.effects)]}
              for lesson in found.lessons]  # fmt: skip
    return json_text({"rules": rules, "lessons": judged})


def _values(columns: Sequence[Column], row: Any) -> Row:
    values = ((column, reader(column.of or column.name)(row)) for column in columns)
    return {column.name: number(value) if column.kind is float else value for column, value in values}


def lessons_schema() -> str:
    """Return the JSON schema of lessons.json."""
    counts = {"type": "object", "additionalProperties": {"type": "integer"}, "description": "comparisons by verdict"}
    lesson = {**_types(LESSON), "counts": counts, "comparisons": _array(_types(COMPARISON))}
    return json_text(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Lessons: claims with verdicts and comparisons",
            "type": "object",
            "properties": {"rules": {"type": "object"}, "lessons": _array(lesson)},
            "required": ["rules", "lessons"],
        }
    )


def _types(columns: Sequence[Column]) -> Row:
    return {column.name: {**JSON_TYPES[column.kind], **({"description": column.about} if column.about else {})}
            for column in columns}  # fmt: skip


def _array(properties: Row) -> Row:
    return {"type": "array", "items": {"type": "object", "properties": properties, "required": [*properties]}}
