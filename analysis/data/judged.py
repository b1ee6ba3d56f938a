"""What was judged: parity.csv, controls.csv, control_evidence.csv, coverage.csv, lessons.json with its schema."""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple

from analysis import controls
from analysis.compare import coverage
from analysis.compare.coverage import Covered
from analysis.controls import Control
from analysis.data.schema import Column, Table, count, flag, json_text, measure, number
from analysis.found import Found
from analysis.lessons import Lesson, verdicts, wording
from analysis.lessons.claim_test import Effect
from analysis.site.pages import coverage as coverage_page
from analysis.site.pages import parity
from bench.proof.parity import Pair


class Answer(NamedTuple):
    """A kept answer beside all others to its question."""

    lines: list[Pair]

    @property
    def first(self) -> Pair:
        """Any of its comparisons."""
        return self.lines[0]

    @property
    def worst(self) -> Pair:
        """The comparison that is nearest to failing, or fails."""
        return max(self.lines, key=lambda line: parity.largest(line.comparison)[0])

    @property
    def failed(self) -> list[Pair]:
        """The comparisons that do not pass."""
        return [line for line in self.lines if not line.passes]


ANSWER = ("workload", "optimizer", "environment_a", "mode_a")


def _answers(found: Found) -> Iterator[Answer]:
    def key(line: Any) -> tuple[str, ...]:
        return tuple(str(getattr(line, name)) for name in ANSWER)

    for _, own in groupby(sorted(found.matrix, key=key), key):
        yield Answer(list(own))


PARITY = Table("parity.csv", "Every kept answer beside all others to its question.",
               ["workload", "optimizer", "environment", "mode"], [
    *(Column(name, f"{name}, as in cells.csv", f"first.{way}")
      for way in ANSWER for name in [way.removesuffix("_a")]),
    count("passed", "comparisons that pass", lambda row: len(row.lines) - len(row.failed)),
    count("compared", "comparisons", lambda row: len(row.lines)),
    measure("largest_error", "largest error as a share of its tolerance",
            lambda row: parity.largest(row.worst.comparison)[0]),
    Column("quantity", "what that error is of", lambda row: parity.largest(row.worst.comparison)[1]),
    Column("against", "the environment and mode that it is against",
           lambda row: f"{row.worst.environment_b}, {row.worst.mode_b}"),
    Column("failures", "what does not pass, with why", lambda row: [
        f"{line.environment_b} ({line.mode_b}): {line.reason}" for line in row.failed]),
], _answers)  # fmt: skip


class Judged(NamedTuple):
    """A control on a machine; of its evidence one cell."""

    machine: str
    name: str
    control: Control
    place: int = 0
    column: str = ""
    value: str = ""

    @property
    def about(self) -> controls.About:
        """What the control's file says of it."""
        return controls.about(controls.found()[self.name])


def _controls(found: Found) -> Iterator[Judged]:
    for machine, own in found.controls.items():
        yield from (Judged(machine, name, each) for name, each in own.items())


def _evidence(found: Found) -> Iterator[Judged]:
    for judged in _controls(found):
        table = judged.control.evidence
        for place, row in enumerate(table.itertuples(index=False), 1):
            for column, value in zip(table.columns, row, strict=True):
                yield judged._replace(place=place, column=str(column), value=str(value))


OF_CONTROL = [Column("machine", "name of the machine in the results"), Column("control", "name of the control", "name")]

CONTROLS = Table("controls.csv", "Every control of the measurement with its verdict.", ["machine", "control"], [
    *OF_CONTROL,
    Column("title", "title", "about.title"),
    Column("verdict", "passes, fails or open", "control.verdict"),
    Column("finding", "what came", "control.finding"),
    Column("criterion", "when it passes", "about.criterion"),
    Column("measured", "the campaign", "control.measured"),
    Column("subject", "the program that was measured", "control.subject"),
], _controls)  # fmt: skip

EVIDENCE = Table("control_evidence.csv", "The evidence of each control, a line for each cell of its table.",
                 ["machine", "control", "row", "column"], [
    *OF_CONTROL,
    count("row", "number of the row", "place"),
    Column("column", "heading of the column"),
    Column("value", "value with its unit and interval"),
], _evidence)  # fmt: skip


class Place(NamedTuple):
    """A place of the coverage of a machine, and the newest campaign's day."""

    machine: str
    covered: Covered
    newest: str


def _places(found: Found) -> Iterator[Place]:
    newest = max((each.day for each in found.results.shown), default="")
    for machine in found.results.machines:
        for each in coverage_page.places_of(found)[machine]:
            yield Place(machine, each, newest)


def _rounds(pick: Any) -> Any:
    return lambda row: pick((each.cell.rounds for each in row.covered.measured), default=None)


def _day(row: Place) -> str | None:
    return min((each.day for each in row.covered.measured), default=None)


def _age_days(row: Place) -> int | None:
    day = _day(row)
    return coverage.age_days(day, row.newest) if day else None


COVERAGE = Table("coverage.csv", "Every workload and task in each mode on each machine: measured, or why not.",
                 ["machine", "workload", "task", "environment", "mode"], [
    Column("machine", "name of the machine in the results"),
    Column("workload", "name of the workload", "covered.workload"),
    Column("task", "as in cells.csv", "covered.task"),
    Column("environment", "name of the environment", "covered.row.0"),
    Column("mode", "mode", "covered.row.1"),
    flag("is_default", "whether the mode is the documented one", "covered.is_default"),
    count("asked", "questions that were asked", lambda row: len(row.covered.answers)),
    count("measured", "questions with a time", lambda row: len(row.covered.measured)),
    count("rounds_least", "fewest rounds", _rounds(min)),
    count("rounds_most", "most rounds", _rounds(max)),
    Column("day", "day on which the oldest campaign began", _day),
    count("age_days", "days from then to the newest campaign", _age_days),
    Column("stale", "what has changed since",
           lambda row: sorted({why for each in row.covered.measured for why in each.stale})),
    Column("reason", "why there is no time, in a word", "covered.reason"),
], _places)  # fmt: skip

TABLES = [PARITY, CONTROLS, EVIDENCE, COVERAGE]


def lessons(found: Found) -> str:
    """Return the lessons in the order of their claims, below the rules that decide."""
    rules = {
        "comparison": [list(rule) for rule in verdicts.COMPARISONS],
        "lesson": [[rule.verdict, rule.words] for rule in verdicts.RULES],
    }
    return json_text({"rules": rules, "lessons": [_lesson(each) for each in found.lessons]})


def _lesson(judged: Lesson) -> dict[str, Any]:
    about = judged.about
    effects = list(wording.order(judged.effects)) if judged.effects else []
    return {
        "id": about.id,
        "source": about.source,
        "claim": judged.title,
        "verdict": judged.verdict,
        "finding": judged.claim,
        "why": judged.reason or "",
        "advice": judged.advice,
        "found_then": about.value_then,
        "expected": about.expected,
        "where": about.where,
        "counts": dict(sorted(Counter(each.verdict for each in effects).items())),
        "comparisons": [_comparison(each) for each in effects],
    }


def _comparison(effect: Effect) -> dict[str, Any]:
    return {
        **effect.question._asdict(),
        "sides": list(effect.sides),
        "environments": list(effect.environments),
        "told": effect.told,
        "ratio": number(effect.ratio.value),
        "low": number(effect.ratio.low),
        "high": number(effect.ratio.high),
        "rounds": effect.ratio.rounds,
        "verdict": effect.verdict,
    }


TEXT, NUMBER = {"type": "string"}, {"type": ["number", "null"]}
QUESTION = ("machine", "workload", "task", "precision", "device", "optimizer", "tier", "data", "told")
COMPARISON = {
    **dict.fromkeys((*QUESTION, "verdict"), TEXT),
    "batch_size": {"type": "integer"},
    "threads": {"type": "integer"},
    "sides": {"type": "array", "items": TEXT, "description": "what is divided: the first by the second"},
    "environments": {"type": "array", "items": TEXT, "description": "titles of the environments of both sides"},
    "ratio": {**NUMBER, "description": "the first side's time, or other measure, over the second's"},
    "low": {**NUMBER, "description": "lower bound of the 99 % interval"},
    "high": {**NUMBER, "description": "upper bound of the 99 % interval"},
    "rounds": {"type": "integer", "description": "rounds that both sides share"},
}
WORDS = ("id", "source", "claim", "verdict", "finding", "why", "advice", "found_then", "expected", "where")
LESSON = {
    **dict.fromkeys(WORDS, TEXT),
    "counts": {"type": "object", "additionalProperties": {"type": "integer"}, "description": "comparisons by verdict"},
    "comparisons": {"type": "array", "items": {"type": "object", "properties": COMPARISON, "required": [*COMPARISON]}},
}  # fmt: skip


def lessons_schema() -> str:
    """Return the JSON schema of lessons.json."""
    items = {"type": "array", "items": {"type": "object", "properties": LESSON, "required": [*LESSON]}}
    return json_text(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Lessons: claims with verdicts and comparisons",
            "type": "object",
            "properties": {"rules": {"type": "object"}, "lessons": items},
            "required": ["rules", "lessons"],
        }
    )
