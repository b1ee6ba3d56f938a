"""The lessons: each hypothesis with its verdict, the sentence that the data give, and the evidence."""

from collections import Counter
from collections.abc import Sequence

from analysis import lessons, units
from analysis.lessons import Lesson
from analysis.plugins import explained, title
from analysis.site.pages import Found, texts
from analysis.text import html

MARKS = {"holds": "✓ holds", "fails": "✗ fails", "undecided": "? undecided"}


def page(found: Found) -> str:
    """Return the fragment of the lessons' page: verdicts at a glance, then one section each."""
    rows = [(each.title, _mark(each)) for each in found.lessons]
    overview = html.table("Verdicts on the data shown on this site", ("lesson", "verdict"), rows)
    hypotheses = _hypotheses()
    return "\n".join(
        [_finding(found.lessons), overview, *(_section(each, hypotheses.get(each.title, "")) for each in found.lessons)]
    )


def _finding(lessons: Sequence[Lesson]) -> html.Markup:
    verdicts = Counter(each.verdict for each in lessons)
    told = units.listing(f"{verdicts[verdict]} {verdict}" for verdict in MARKS)
    return html.paragraph(f"{units.count(len(lessons), 'lesson')}: {told}.")


def _mark(judged: Lesson) -> html.Markup:
    return html.element("strong", MARKS[judged.verdict], kind=f"verdict {judged.verdict}")


def _section(judged: Lesson, hypothesis: str) -> str:
    because = f" Undecided because {judged.reason}." if judged.reason else ""
    finding = html.paragraph(html.join([_mark(judged), " ", judged.claim, because]))
    evidence = (
        ""
        if judged.evidence.empty
        else html.table("The evidence", list(judged.evidence.columns), texts(judged.evidence), "evidence")
    )
    return f"## {judged.title}\n\n{finding}\n{hypothesis}\n\n{evidence}"


def _hypotheses() -> dict[str, str]:
    """Return the rest of each lesson's docstring by its title: our own words, so Markdown."""
    return {title(each.__doc__): explained(each.__doc__) for each in lessons.found().values()}
