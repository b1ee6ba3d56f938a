"""The lessons: each hypothesis with its verdict, the sentence that the data give, and the evidence."""

from collections.abc import Sequence

from analysis import articles, lessons, units
from analysis.lessons import Lesson, contrast, verdicts
from analysis.lessons.verdicts import FAILS, HOLDS, IN_PART, MOSTLY_CONTRARY, NO_DIFFERENCE, NOT_TESTED, UNDECIDED
from analysis.plugins import title
from analysis.site.pages import Found, code, details, figure, texts
from analysis.text import html
from analysis.text.html import Markup
from bench import ablations

SIGNS = {
    HOLDS: "✓", IN_PART: "◐", FAILS: "✗", MOSTLY_CONTRARY: "◔", NO_DIFFERENCE: "=", UNDECIDED: "?", NOT_TESTED: "○",
}  # fmt: skip
OPEN = (UNDECIDED, NOT_TESTED)
ADVICE = 1000  # characters of advice on an article's page
OURS = "Ours, of the results on this site"


def page(found: Found) -> str:
    """Return the fragment of the lessons' page: what came out, then article by article, and what is undecided."""
    parts = [str(html.paragraph(lessons.summary(found.lessons))), str(_rules())]
    named = {module.SOURCE: (name, title(module.__doc__)) for name, module in articles.found().items()}
    for source, own in lessons.by_source(found.lessons).items():
        name, heading = named.get(source, ("ours", OURS))
        decided = [each for each in own if each.verdict not in OPEN]
        parts += [f"## {heading}\n", html.paragraph(lessons.summary(own)), figure(found, "lessons", name, "", "../")]
        parts += [_section(each) for each in decided]
        parts += [_open([each for each in own if each.verdict in OPEN])]
    return "\n".join(parts)


def _mark(judged: Lesson) -> Markup:
    return html.element("strong", f"{SIGNS[judged.verdict]} {judged.verdict}", kind="verdict")


def _rules() -> Markup:
    """Return the tables that decide, unfolded by a click: of a comparison, and of a lesson, in their order."""
    comparisons = html.table("A comparison is", ("", "if"), verdicts.COMPARISONS, "claims")
    rules = [(f"{SIGNS[rule.verdict]} {rule.verdict}", rule.words) for rule in verdicts.RULES]
    lesson = html.table("A lesson's verdict is the first of these that applies", ("verdict", "if"), rules, "claims")
    return details.unfolding("How a verdict is reached", html.join([comparisons, lesson]))


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
    rows = [(each.title, _mark(each), each.about.value_then or units.NONE, _why(each)) for each in judged]
    header = ("claim", "now", "found then", "why")
    return html.table("Undecided, or not tested on a GPU", header, rows, "claims") if rows else Markup("")


def claims(found: Found, name: str, source: str) -> Markup:
    """Return an article's claims, in our words: what it found, what holds now, and each comparison in a figure."""
    own = [each for each in found.lessons if each.about.source == source]
    rows = [(each.title, _mark(each), _told(each), each.about.value_then) for each in own]
    header = ("claim", "now", "why, and what to do", "found then")
    table = html.table(f"What it claimed, in our words, and what holds here; {source}", header, rows, "claims verdicts")
    return html.join([table, figure(found, "lessons", name, "", "../../")])


def _told(judged: Lesson) -> Markup:
    told = _why(judged)
    return html.join([told, html.element("small", html.safe(judged.advice, ADVICE))]) if judged.advice else told


def _why(judged: Lesson) -> Markup:
    why = judged.reason or judged.claim
    return html.safe(why, len(why))
