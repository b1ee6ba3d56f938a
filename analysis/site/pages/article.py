"""Articles, their lessons and their years: which claims are still true, and the speed-ups since then.

A lesson's row is its verdict, its effect and the advice. Versions of years ago and today's ran on one machine, in the
same rounds.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from analysis import lessons, units
from analysis.articles import ARTICLES, Article
from analysis.compare import orders
from analysis.compare.orders import Orders
from analysis.estimate import lineage
from analysis.estimate.estimates import Estimates, Question
from analysis.figures import then_and_now as history
from analysis.found import Found
from analysis.groups import collected, grouped
from analysis.lessons import Lesson, verdicts, wording
from analysis.lessons.verdicts import HOLDS, NOT_TESTED, RULES, UNDECIDED
from analysis.site import links, template
from analysis.site.pages import figures, with_bounds
from analysis.text import html, sentences
from analysis.text.html import Markup
from analysis.units import workload_title
from bench import registry
from bench.cases import FED

ROOT = "../../"  # from articles/<name>/ to the site's top
WORDS = {"sign": {rule.verdict: rule.sign for rule in RULES}, "tally": verdicts.tally, "scope": wording.place}
ANSWERS = {
    verdicts.IN_PART: "partly true", verdicts.FAILS: "false now", verdicts.MOSTLY_CONTRARY: "mostly false now",
    verdicts.NO_DIFFERENCE: "without effect now",
}  # fmt: skip
NOT_DECIDED = "not decided"

Answers = Mapping[str, Sequence[Estimates]]  # by machine


def lessons_page(found: Found) -> str:
    """Return the fragment of the lessons' page: the counts of verdicts, how they come about, and a table per topic."""
    topics = grouped(found.lessons, lambda lesson: lesson.about.topic)
    return template.render(
        "lessons.html",
        summary=lessons.summary(found.lessons),
        comparisons=verdicts.COMPARISONS,
        rules=[(f"{rule.sign} {rule.verdict}", rule.words) for rule in RULES],
        topics={topic: ordered(topics[topic]) for topic in sorted(topics, key=lambda name: -len(topics[name]))},
        evidence=links.data("../", "lessons.json"),
        root="../",
        **WORDS,
    )


def ordered(judged: Sequence[Lesson]) -> list[Lesson]:
    """Return lessons with a verdict first, those without a comparison last."""
    return sorted(judged, key=lambda lesson: (not lesson.effects, lesson.verdict in (UNDECIDED, NOT_TESTED)))


def fragments(found: Found) -> dict[str, str]:
    """Return the fragments of all articles by name."""
    texts = {"index": index(found)}
    for name, article in ARTICLES.items():
        texts |= {f"{name}/claims": claims(found, name, article), f"{name}/now": now(found, article)}
        if article.has_then:
            texts[f"{name}/then"] = then(found, article.workloads)
    return texts


def index(found: Found) -> str:
    """Return the table of all articles, for the page that lists them."""
    header = ("article", "what it asked", "source", "networks measured here")
    rows = [
        (html.link(f"{name}/", article.title), article.asked, article.source,
         f"{len(measured(found, article))} of {len(article.workloads)}")
        for name, article in ARTICLES.items()
    ]  # fmt: skip
    return template.render("table.html", caption="Articles", header=header, rows=rows, kind="claims")


def measured(found: Found, article: Article) -> list[str]:
    """Return those of an article's networks that have a time here."""
    return [name for name in article.workloads if registry.has_workload(name) and measuring(found, name)]


def measuring(found: Found, workload: str) -> list[str]:
    """Return the machines that gave a network a time, those that only fed it included."""
    fed = {answer.question.machine for answer in found.changed if answer.question.task in FED and answer.measured
           and answer.question.workload == workload}  # fmt: skip
    return [machine for machine in found.results.machines
            if machine in fed or any(answer.measured for answer in found.of(machine, workload))]  # fmt: skip


def claims(found: Found, name: str, article: Article) -> str:
    """Return which claims of an article are still true, a table of verdicts, and the figure of all claims."""
    judged = [lesson for lesson in found.lessons if lesson.about.source == article.source]
    counts = Counter(ANSWERS.get(lesson.verdict, NOT_DECIDED) for lesson in judged if lesson.verdict != HOLDS)
    return template.render(
        "article.html",
        still=[lesson.title for lesson in judged if lesson.verdict == HOLDS],
        others=units.listing(f"{counts[words]} {words}" for words in (*ANSWERS.values(), NOT_DECIDED) if counts[words]),
        total=units.count(len(judged), "claim"),
        claims=ordered(judged),
        figure=figures(found, f"articles/{name}", ROOT),
        root=ROOT,
        **WORDS,
    )


def now(found: Found, article: Article) -> str:
    """Return where an article's networks are on this site, and where all published numbers are."""
    names = measured(found, article)
    networks = [(workload_title(name), links.workload(ROOT, name), links.results(ROOT, workload=name))
                for name in names]  # fmt: skip
    lacking = [workload_title(name) for name in article.workloads if name not in names]
    return template.render("article_now.html", networks=networks, lacking=lacking, data=links.data, root=ROOT)


def then_and_now(found: Found) -> str:
    """Return the figure of the machine with most versions, and a table of each machine."""
    answers = history.known(found)
    decided = collected((found.names[machine], tables) for machine, tables in _orders(answers))
    texts = [_summed(name, tables) for name, tables in decided.items()]
    return f"{figures(found, 'then_and_now', '../')}\n{_speed_ups(answers, found.names, texts, '../')}"


def then(found: Found, workloads: Sequence[str]) -> str:
    """Return the speed-ups on an article's workloads, and whether its orders of frameworks are still true."""
    answers = {machine: kept for machine, every in history.known(found).items()
               if (kept := [answer for answer in every if answer.question.workload in workloads])}  # fmt: skip
    texts = [f"{found.names[machine]}: {decided.told}" for machine, decided in _orders(answers)]
    return _speed_ups(answers, found.names, texts, ROOT)


def _speed_ups(answers: Answers, names: Mapping[str, str], texts: Sequence[str], root: str) -> str:
    machines = {names[machine]: _years(of_machine, root) for machine, of_machine in answers.items()}
    return template.render("then_and_now.html", machines=machines, orders=texts)


def _orders(answers: Answers) -> list[tuple[str, Orders]]:
    """Return the orders of each published table by machine, if any order is decided."""
    return [(machine, decided) for machine, of_machine in answers.items() for answer in of_machine
            for decided in orders.of(answer) if decided.same or decided.contrary]  # fmt: skip


def _summed(machine: str, tables: Sequence[Orders]) -> str:
    """Return how many published orders are still true on a machine. The pages of articles have each table."""
    counts = {"as published": sum(len(table.same) for table in tables),
              "reversed": sum(len(table.contrary) for table in tables),
              "not significant": sum(len(table.open) for table in tables)}  # fmt: skip
    total = units.count(sum(counts.values()), "published order")
    return f"{machine}: {total}, {units.listing(f'{number} {what}' for what, number in counts.items() if number)}."


def _years(answers: Sequence[Estimates], root: str) -> tuple[list[str], list[list[Markup | str]]]:
    """Return header and rows: the speed-up, if the first and the last version share enough rounds for an interval."""
    by_question = {
        answer.question: {
            " → ".join(f"{version.cell.title} ({version.released[:4]})" for version in (gain.older, gain.newer)):
            sentences.faster(gain.ratio, gain.claim)
            for gain in lineage.gains(answer) if gain.ratio and gain.ratio.low is not None}
        for answer in answers
    }  # fmt: skip
    columns = sorted({versions for gains in by_question.values() for versions in gains})
    rows = [[_label(question, root), *(gains.get(versions, units.NONE) for versions in columns)]
            for question, gains in by_question.items() if gains]  # fmt: skip
    return ["workload", *columns], rows


def _label(question: Question, root: str) -> Markup:
    name, title = question.workload, workload_title(question.workload)
    linked = html.link(links.workload(root, name), title) if registry.has_workload(name) else title
    return with_bounds(linked, f"batch {question.batch_size}, {units.count(question.threads, 'thread')}")
