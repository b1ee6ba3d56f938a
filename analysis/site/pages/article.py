"""An article's part of the site: what is still true of it, what the years brought, and where the numbers are."""

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
    made = {"index": index(found)}
    for name, article in ARTICLES.items():
        made[f"{name}/claims"] = claims(found, name, article)
        made[f"{name}/now"] = now(found, article)
        if article.has_then:
            made[f"{name}/then"] = then_and_now.of_article(found, article.workloads)
    return made


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
    return [name for name in found.results.machines
            if of_fed(found, workload, name) or any(each.measured for each in found.of(name, workload))]  # fmt: skip


def of_fed(found: Found, workload: str, machine: str) -> list[Estimates]:
    """Return what was fed to a network on a machine."""
    return [each for each in found.changed if each.question.task in FED and each.measured
            and (each.question.machine, each.question.workload) == (machine, workload)]  # fmt: skip


def claims(found: Found, name: str, article: Article) -> str:
    """Return what is still true of an article, each claim with its verdict, and the figure of all claims."""
    own = [judged for judged in found.lessons if judged.about.source == article.source]
    counts = {words: sum(judged.verdict == verdict for judged in own) for verdict, words in ANSWERS.items()}
    counts["not decided"] = sum(judged.verdict not in (HOLDS, *ANSWERS) for judged in own)
    return template.render(
        "article.html",
        still=[judged.title for judged in own if judged.verdict == HOLDS],
        others=units.listing(f"{number} {words}" for words, number in counts.items() if number),
        total=units.count(len(own), "claim"),
        claims=lessons.claims(found, article.source),
        figure=figures(found, f"articles/{name}", ROOT),
    )


def now(found: Found, article: Article) -> str:
    """Return where an article's networks are on this site, and where all published numbers are."""
    known = measured(found, article)
    networks = [(workload_title(name), links.workload(ROOT, name), links.results(ROOT, workload=name))
                for name in known]  # fmt: skip
    lacking = [workload_title(name) for name in article.workloads if name not in known]
    return template.render("article_now.html", networks=networks, lacking=lacking, data=links.data, root=ROOT)
