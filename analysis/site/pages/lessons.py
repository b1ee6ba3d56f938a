"""The lessons: each hypothesis with its verdict, the sentence that the data give, and the evidence."""

from collections.abc import Sequence

from analysis import articles, lessons, units
from analysis.lessons import Lesson, contrast
from analysis.plugins import title
from analysis.site.pages import Found, code, details, figure, texts
from analysis.text import html
from analysis.text.html import Markup
from bench import ablations

MARKS = {"holds": "✓ holds", "holds in part": "◐ holds in part", "fails": "✗ does not hold", "undecided": "? undecided"}
OURS = "Ours, of the results on this site"


def page(found: Found) -> str:
    """Return the fragment of the lessons' page: what came out, then article by article, and what is undecided."""
    parts = [str(html.paragraph(lessons.summary(found.lessons)))]
    named = {module.SOURCE: (name, title(module.__doc__)) for name, module in articles.found().items()}
    for source, own in lessons.by_source(found.lessons).items():
        name, heading = named.get(source, ("ours", OURS))
        decided = [each for each in own if each.verdict != "undecided"]
        parts += [f"## {heading}\n", html.paragraph(lessons.summary(own)), figure(found, "lessons", name, "", "../")]
        parts += [_section(each) for each in decided]
        parts += [_open([each for each in own if each.verdict == "undecided"])]
    return "\n".join(parts)


def _mark(judged: Lesson) -> Markup:
    return html.element("strong", MARKS[judged.verdict], kind="verdict")


def _section(judged: Lesson) -> str:
    """Return a lesson that is decided: verdict and sentence, what was found then, and what unfolds."""
    then = f" Found then: {judged.about.value_then}." if judged.about.value_then else ""
    told = f" {judged.claim}{then} {judged.advice}"
    finding = html.paragraph(html.join([_mark(judged), html.safe(told, len(told))]))
    header = list(judged.evidence.columns)
    evidence = html.table("The evidence", header, texts(judged.evidence), "evidence")
    more = details.unfolding(f"The evidence: {units.count(len(judged.evidence), 'comparison')}", evidence)
    return "\n".join([f"### {judged.title}\n", finding, more, *_code(judged)])


def _code(judged: Lesson) -> list[str]:
    """Return the code that an ablation was measured with, where one decides."""
    name = contrast.ablation(judged.about)
    return [code.collapsed(f"What was changed: {ablations.title(name)}", *ablations.files(name))] if name else []


def _open(judged: Sequence[Lesson]) -> Markup:
    """Return a table of what is undecided, and why."""
    rows = [(each.title, each.about.value_then or units.NONE, str(each.reason)) for each in judged]
    return html.table("Undecided here", ("claim", "found then", "why"), rows, "claims") if rows else Markup("")


def claims(found: Found, name: str, source: str) -> Markup:
    """Return an article's claims, in our words: what it found, what holds now, and each comparison in a figure."""
    own = [each for each in found.lessons if each.about.source == source]
    rows = [(each.title, _mark(each), _told(each), each.about.value_then) for each in own]
    header = ("claim", "now", "why, and what to do", "found then")
    table = html.table(f"What it claimed, in our words, and what holds here; {source}", header, rows, "claims verdicts")
    return html.join([table, figure(found, "lessons", name, "", "../../")])


def _told(judged: Lesson) -> Markup:
    why = f"{judged.reason[0].upper()}{judged.reason[1:]}." if judged.reason else judged.claim
    told = html.safe(why, len(why))
    return html.join([told, html.element("small", judged.advice)]) if judged.advice else told
