"""The lessons: each hypothesis with its verdict, the sentence that the data give, and the evidence."""

import importlib
import pkgutil

from analysis import html, lessons
from analysis.lesson import Lesson
from analysis.pages import Found, texts

MARKS = {"holds": "✓ holds", "fails": "✗ fails", "undecided": "? undecided"}


def page(found: Found) -> str:
    """Return the fragment of the lessons' page: verdicts at a glance, then one section each."""
    rows = [(lesson.title, _mark(lesson)) for lesson in found.lessons]
    overview = html.table("Verdicts on the data shown on this site", ("lesson", "verdict"), rows)
    hypotheses = _hypotheses()
    return "\n".join([overview, *(_section(lesson, hypotheses.get(lesson.title, "")) for lesson in found.lessons)])


def _mark(lesson: Lesson) -> html.Markup:
    return html.element("strong", MARKS[lesson.verdict], kind=f"verdict {lesson.verdict}")


def _section(lesson: Lesson, hypothesis: str) -> str:
    because = f" Undecided because {lesson.reason}." if lesson.reason else ""
    finding = html.paragraph(html.join([_mark(lesson), " ", lesson.claim, because]))
    evidence = (
        ""
        if lesson.evidence.empty
        else html.table("The evidence", list(lesson.evidence.columns), texts(lesson.evidence), "evidence")
    )
    return f"## {lesson.title}\n\n{finding}\n{hypothesis}\n\n{evidence}"


def _hypotheses() -> dict[str, str]:
    """Return the rest of each lesson's docstring by its title: our own words, so Markdown."""
    modules = [
        importlib.import_module(f"{lessons.__name__}.{module.name}")
        for module in pkgutil.iter_modules(lessons.__path__)
    ]
    parts = [str(module.__doc__).strip().partition("\n") for module in modules]
    return {title: " ".join(rest.split()) for title, _, rest in parts}
