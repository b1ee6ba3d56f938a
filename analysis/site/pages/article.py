"""An article's part of the site: which claims are still true, speed-ups over the years, and links to the numbers."""

from collections import Counter

from analysis import units
from analysis.articles import ARTICLES, Article
from analysis.estimate.estimates import Estimates
from analysis.found import Found
from analysis.lessons.verdicts import FAILS, HOLDS, IN_PART, MOSTLY_CONTRARY, NO_DIFFERENCE
from analysis.site import links, template
from analysis.site.pages import figures, lessons, then_and_now
from analysis.text import html
from analysis.units import workload_title
from bench import registry
from bench.cases import FED

ROOT = "../../"  # from articles/<name>/ to the site's top
ANSWERS = {
    IN_PART: "partly true", FAILS: "false now", MOSTLY_CONTRARY: "mostly false now",
    NO_DIFFERENCE: "without effect now",
}  # fmt: skip


def fragments(found: Found) -> dict[str, str]:
    """Return the fragments of all articles by name."""
    texts = {"index": index(found)}
    for name, article in ARTICLES.items():
        texts[f"{name}/claims"] = claims(found, name, article)
        texts[f"{name}/now"] = now(found, article)
        if article.has_then:
            texts[f"{name}/then"] = then_and_now.of_article(found, article.workloads)
    return texts


def index(found: Found) -> str:
    """Return the table of all articles, for the page that lists them."""
    rows = [
        (html.link(f"{name}/", article.title), article.asked, article.source,
         f"{len(measured(found, article))} of {len(article.workloads)}")
        for name, article in ARTICLES.items()
    ]  # fmt: skip
    return str(html.table("Articles", ("article", "what it asked", "source", "networks measured here"), rows, "claims"))


def measured(found: Found, article: Article) -> list[str]:
    """Return those of an article's networks that have a time here."""
    return [name for name in article.workloads if registry.has_workload(name) and measuring(found, name)]


def measuring(found: Found, workload: str) -> list[str]:
    """Return the machines that gave a network a time, those that only fed it included."""
    return [
        machine
        for machine in found.results.machines
        if of_fed(found, workload, machine) or any(answer.measured for answer in found.of(machine, workload))
    ]


def of_fed(found: Found, workload: str, machine: str) -> list[Estimates]:
    """Return the results of feeding a network on a machine."""
    return [answer for answer in found.changed if answer.question.task in FED and answer.measured
            and (answer.question.machine, answer.question.workload) == (machine, workload)]  # fmt: skip


def claims(found: Found, name: str, article: Article) -> str:
    """Return which claims of an article are still true, a table of verdicts, and the figure of all claims."""
    judged = [lesson for lesson in found.lessons if lesson.about.source == article.source]
    counts = Counter(ANSWERS.get(lesson.verdict, "not decided") for lesson in judged if lesson.verdict != HOLDS)
    return template.render(
        "article.html",
        still=[lesson.title for lesson in judged if lesson.verdict == HOLDS],
        others=units.listing(
            f"{counts[words]} {words}" for words in (*ANSWERS.values(), "not decided") if counts[words]
        ),
        total=units.count(len(judged), "claim"),
        claims=lessons.ordered(judged),
        figure=figures(found, f"articles/{name}", ROOT),
        root=ROOT,
        **lessons.WORDS,
    )


def now(found: Found, article: Article) -> str:
    """Return where an article's networks are on this site, and where all published numbers are."""
    names = measured(found, article)
    networks = [(workload_title(name), links.workload(ROOT, name), links.results(ROOT, workload=name))
                for name in names]  # fmt: skip
    lacking = [workload_title(name) for name in article.workloads if name not in names]
    return template.render("article_now.html", networks=networks, lacking=lacking, data=links.data, root=ROOT)
