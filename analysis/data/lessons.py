"""Every lesson with its verdict, counts, advice and comparisons: lessons.json, with a JSON schema."""

from collections import Counter
from typing import Any

from analysis.data.schema import json_text, number
from analysis.found import Found
from analysis.lessons import Lesson, verdicts, wording
from analysis.lessons.contrast import Effect

NAME, SCHEMA_NAME = "lessons.json", "lessons.schema.json"


def text(found: Found) -> str:
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


def schema() -> str:
    """Return the JSON schema of lessons.json."""
    lessons = {"type": "array", "items": {"type": "object", "properties": LESSON, "required": [*LESSON]}}
    return json_text(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Lessons: claims with verdicts and comparisons",
            "type": "object",
            "properties": {"rules": {"type": "object"}, "lessons": lessons},
            "required": ["rules", "lessons"],
        }
    )
