"""An article's part of the site: what is still true of it, what the years brought, and where the numbers are."""

from types import ModuleType

from analysis import articles, units
from analysis.found import Found
from analysis.lessons.verdicts import FAILS, HOLDS, IN_PART, MOSTLY_CONTRARY, NO_DIFFERENCE
from analysis.plugins import explained, title
from analysis.site import links, template
from analysis.site.pages import figures, gaps, lessons, then_and_now
from analysis.text import html
from analysis.units import workload_title
from bench import registry

ROOT = "../../"  # from articles/<name>/ to the site's top
ANSWERS = {
    IN_PART: "partly true", FAILS: "false now", MOSTLY_CONTRARY: "mostly false now",
    NO_DIFFERENCE: "without effect now",
}  # fmt: skip


def fragments(found: Found) -> dict[str, str]:
    """Return the fragments of all articles by name."""
    made = {"index": index(found)}
    for name, article in articles.found().items():
        made[f"{name}/claims"] = claims(found, name, article)
        made[f"{name}/now"] = now(found, article)
        if "then" in articles.parts(article):
            made[f"{name}/then"] = then_and_now.of_article(found, article.WORKLOADS)
    return made


def index(found: Found) -> str:
    """Return the table of all articles, for the page that lists them."""
    rows = [
        (html.link(f"{name}/", title(article.__doc__)), explained(article.__doc__), article.SOURCE,
         f"{len(_measured(found, article))} of {len(article.WORKLOADS)}")
        for name, article in articles.found().items()
    ]  # fmt: skip
    return str(html.table("Articles", ("article", "what it asked", "source", "networks measured here"), rows, "claims"))


def _measured(found: Found, article: ModuleType) -> list[str]:
    return [name for name in article.WORKLOADS if registry.has_workload(name) and gaps.measuring(found, [name])]


def claims(found: Found, name: str, article: ModuleType) -> str:
    """Return what is still true of an article, each claim with its verdict, and the figure of all claims."""
    own = [judged for judged in found.lessons if judged.about.source == article.SOURCE]
    counts = {words: sum(judged.verdict == verdict for judged in own) for verdict, words in ANSWERS.items()}
    counts["not decided"] = sum(judged.verdict not in (HOLDS, *ANSWERS) for judged in own)
    return template.render(
        "article.html",
        still=[judged.title for judged in own if judged.verdict == HOLDS],
        others=units.listing(f"{number} {words}" for words, number in counts.items() if number),
        total=units.count(len(own), "claim"),
        claims=lessons.claims(found, article.SOURCE),
        figure=figures(found, f"articles/{name}", ROOT),
    )


def now(found: Found, article: ModuleType) -> str:
    """Return where an article's networks are on this site, and where all published numbers are."""
    measured = _measured(found, article)
    networks = [(workload_title(name), links.workload(ROOT, name), links.results(ROOT, workload=name))
                for name in measured]  # fmt: skip
    lacking = [workload_title(name) for name in article.WORKLOADS if name not in measured]
    return template.render("article_now.html", networks=networks, lacking=lacking, data=links.data, root=ROOT)
