"""The lessons: a table for each topic with one row per claim: its verdict, its effect and the advice."""

from collections.abc import Sequence

from analysis import lessons
from analysis.found import Found
from analysis.lessons import Lesson, verdicts, wording
from analysis.lessons.verdicts import NOT_TESTED, RULES, UNDECIDED
from analysis.site import links, template

ROOT = "../"
WORDS = {"sign": {rule.verdict: rule.sign for rule in RULES}, "tally": verdicts.tally, "scope": wording.place}


def page(found: Found) -> str:
    """Return the fragment of the lessons' page: the counts of verdicts, how they come about, and a table per topic."""
    topics: dict[str, list[Lesson]] = {}
    for lesson in found.lessons:
        topics.setdefault(lesson.about.topic, []).append(lesson)
    return template.render(
        "lessons.html",
        summary=lessons.summary(found.lessons),
        comparisons=verdicts.COMPARISONS,
        rules=[(f"{rule.sign} {rule.verdict}", rule.words) for rule in RULES],
        topics={topic: ordered(topics[topic]) for topic in sorted(topics, key=lambda name: -len(topics[name]))},
        evidence=links.data(ROOT, "lessons.json"),
        root=ROOT,
        **WORDS,
    )


def ordered(judged: Sequence[Lesson]) -> list[Lesson]:
    """Return lessons with a verdict first, those without a comparison last."""
    return sorted(judged, key=lambda lesson: (not lesson.effects, lesson.verdict in (UNDECIDED, NOT_TESTED)))
