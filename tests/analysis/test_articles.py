"""An article's page has every published number, and ours beside it or the reason why not."""

import re
from pathlib import Path

import campaign
import pytest
import shown
from article import CASES, found
from shown import text_of as text

from analysis import literature
from analysis.articles import ARTICLES
from analysis.site.pages import article
from analysis.text import html
from bench import registry

ROOT = Path(__file__).resolve().parents[2]


def test_every_published_row_belongs_to_an_article_or_another_source_with_a_link():
    known = {each.source for each in ARTICLES.values()} | literature.OTHERS.keys()
    for name in ("figures.csv", "claims.csv"):
        assert {row["source"] for row in literature.rows(literature.FOLDER / name)} <= {
            *known,
            "",
        }  # without a source: ours


@pytest.mark.parametrize("name", ARTICLES)
def test_an_articles_page_includes_all_its_parts(name):
    page = (ROOT / "docs" / "articles" / f"{name}.md").read_text(encoding="utf-8")
    assert re.findall(rf'--8<-- "docs/generated/fragments/articles/{name}/(\w+)\.md"', page) == ARTICLES[name].parts


BATCHES = [campaign.case(name, batch_size=size) for name in ("red", "blue") for size in (128, 256)]


def test_parameters_are_those_that_the_article_printed_in_millions():
    """Its numbers are whole millions; of ResNet50's 23.8 it printed 23: that one is cut off, not rounded."""
    printed = [each for each in literature.figures(ARTICLES["cnn_zoo"].source) if each.table == "Parameters by model"]
    assert {each.workload for each in printed} == set(ARTICLES["cnn_zoo"].workloads)
    for each in printed:
        assert abs(registry.workload(each.workload).PARAMETERS / 1e6 - float(each.value)) < 1, each.workload


def test_without_results_every_article_still_has_all_its_fragments(tmp_path):
    wanted = {f"{name}/{part}" for name, each in ARTICLES.items() for part in each.parts}
    assert set(article.fragments(shown.found(tmp_path))) == {"index", *wanted}


def test_the_index_counts_the_networks_that_have_a_time(tmp_path):
    page = article.index(found(tmp_path, CASES, campaign.always(0.01)))
    assert "1 of 5" in text(page)
    assert html.safe(ARTICLES["cnn_zoo"].source) in page
