"""The lessons: one line for each claim, with its verdict, its effect and what to do, below the question it answers."""

from collections.abc import Sequence

from analysis import lessons
from analysis.found import Found
from analysis.lessons import Lesson, verdicts, wording
from analysis.lessons.verdicts import NOT_TESTED, RULES, UNDECIDED
from analysis.site import links, template
from analysis.text.html import Markup

SIGNS = {rule.verdict: rule.sign for rule in RULES}


def page(found: Found) -> str:
    """Return the fragment of the lessons' page: the counts of verdicts, how they come about, and a table per topic."""
    topics: dict[str, list[Lesson]] = {}
    for judged in found.lessons:
        topics.setdefault(judged.about.topic, []).append(judged)
    return template.render(
        "lessons.html",
        summary=lessons.summary(found.lessons),
        comparisons=verdicts.COMPARISONS,
        rules=[(f"{rule.sign} {rule.verdict}", rule.words) for rule in RULES],
        topics={topic: _ordered(topics[topic]) for topic in sorted(topics, key=lambda name: -len(topics[name]))},
        **_helpers("../"),
    )


def claims(found: Found, source: str) -> Markup:
    """Return an article's claims: what it found, the verdict now and the effect, with a link to each lesson."""
    own = [judged for judged in found.lessons if judged.about.source == source]
    return Markup(template.render("claims.html", claims=_ordered(own), **_helpers("../../")))


def _helpers(root: str) -> dict[str, object]:
    return {"root": root, "sign": SIGNS, "tally": verdicts.tally, "scope": wording.place, "evidence": links.data}


def _ordered(own: Sequence[Lesson]) -> list[Lesson]:
    """Return lessons with a verdict first, those without a comparison last."""
    return sorted(own, key=lambda judged: (not judged.effects, judged.verdict in (UNDECIDED, NOT_TESTED)))
