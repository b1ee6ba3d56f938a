"""An article's page answers first what is still true of it, and leads to all numbers."""

import re

import campaign
import pytest
import shown
from article import CASES, found
from shown import text_of as text

from analysis import lessons, literature
from analysis.articles import ARTICLES
from analysis.site.pages import article

BACKENDS = ("keras-jax", "keras-tensorflow", "keras-torch")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """One campaign in which TensorFlow is the fastest Keras backend."""
    times = campaign.noisy(dict(zip(BACKENDS, (0.02, 0.01, 0.03), strict=True)), noise=0.002)
    lines = campaign.lines([campaign.case(name, "fit", workload="mnist_cnn") for name in BACKENDS], times, rounds=8)
    for line in lines:
        if line["kind"] == "environment":
            line["default_mode"] = "fit"
    given = shown.found(tmp_path_factory.mktemp("results"), lines)
    return given._replace(lessons=lessons.judge_all(given.results, given.answers))


def test_the_first_words_say_what_is_still_true_and_what_is_not_decided(made):
    answer = text(article.claims(made, "keras_backends", ARTICLES["keras_backends"]))
    assert re.match(
        r"Of 9 claims, 1 is still true ; 1 false now and 7 not decided\. TensorFlow is the fastest Keras", answer
    )


def test_each_claim_has_its_verdict_effect_and_what_was_found_then(made):
    page = article.claims(made, "keras_backends", ARTICLES["keras_backends"])
    (row,) = re.findall(r"<tr>.*lessons/#tf-wins-cnn.*</tr>", page)
    assert re.search(
        r"✓ true 2 of 2 median 2\.\d\d \(\d\.\d\d to \d\.\d\d\), all 2\.\d\d to [23]\.\d\d CPU fp32", text(row)
    )
    assert text(row).endswith("TensorFlow first")
    claimed = [each for each in literature.claims() if each.source == ARTICLES["keras_backends"].source]
    assert page.count("lessons/#") == len(claimed)


def test_each_measured_network_leads_to_its_page_and_its_numbers_and_the_others_are_named(tmp_path):
    page = article.now(found(tmp_path, CASES, campaign.always(0.01)), ARTICLES["keras_backends"])
    assert 'href="../../results/#workload=mnist_mlp"' in page
    assert text(page).count(": not measured") == 4
    assert 'href="../../generated/data/published.csv"' in page
