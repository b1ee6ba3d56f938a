"""An article's page has every published number, and ours beside it or the reason why not."""

import re
from pathlib import Path

import campaign
import pytest
import shown
from article import ARTICLES, CASES, found, made
from shown import PAYLOAD, alive
from shown import text_of as text

from analysis import articles, literature
from analysis.articles import Section
from analysis.site.pages import article, gaps, ours
from analysis.text import html
from bench import registry

ROOT = Path(__file__).resolve().parents[2]
PER_SAMPLES = Section(workloads=["mnist_mlp"], per_samples=1000)


def test_who_waits_for_a_budget_is_named_below_a_table_and_has_no_row(tmp_path):
    times = campaign.noisy({"red": 0.010, "blue": 0.013})
    waits = made(
        tmp_path, "times", CASES, lambda about, n: "over_budget" if about["environment"] == "blue" else times(about, n)
    )
    (table,) = waits
    assert (table.count("Red 1.0"), table.count("Blue 1.0")) == (1, 1)
    assert text(table).endswith("Not measured yet, for no budget held it: Blue 1.0 (eager).")


def test_every_published_row_belongs_to_an_article():
    known = {module.SOURCE for module in ARTICLES.values()}
    for name in ("figures.csv", "claims.csv"):
        assert {row["source"] for row in literature._rows(name)} <= {*known, ""}  # without a source: ours


@pytest.mark.parametrize("name", ARTICLES)
def test_an_articles_page_includes_all_its_parts(name):
    page = (ROOT / "docs" / "articles" / f"{name}.md").read_text(encoding="utf-8")
    included = re.findall(rf'--8<-- "docs/generated/fragments/articles/{name}/(\w+)\.md"', page)
    assert included == articles.parts(ARTICLES[name])


@pytest.mark.parametrize("name", ARTICLES)
def test_an_articles_file_names_what_exists(name):
    module = ARTICLES[name]
    for section in module.SECTIONS.values():
        assert set(section.ours) <= {*ours.TABLES, "parameters"}
        assert set(section.workloads) <= set(module.WORKLOADS)


def test_times_name_hardware_and_day_and_a_cell_without_one_its_reason(tmp_path):
    times = lambda about, _: "out_of_memory" if about["environment"] == "blue" else 0.01  # noqa: E731
    (table,) = made(tmp_path, "times", CASES, times)
    assert "test-machine, fp32 on the CPU, documented tier, measured 2026-11-20" in text(table)
    assert "out of memory: it was planted" in text(table)


def test_where_all_cells_are_missing_the_reasons_stay(tmp_path):
    (table,) = made(tmp_path, "times", CASES, campaign.always("failed"))
    assert text(table).count("failed: it was planted") == 2


def test_a_time_for_many_samples_is_a_step_over_its_batch(tmp_path):
    (table,) = made(tmp_path, "times", CASES, campaign.always(0.128), PER_SAMPLES)
    assert "time per 1,000 samples (s)" in text(table)
    assert "<td>1.00<" in table


def test_epochs_are_never_scaled_to_samples(tmp_path):
    (table,) = made(tmp_path, "times", [campaign.over_data("red")], campaign.always(2.0), PER_SAMPLES)
    assert "time per epoch (s)" in text(table)
    assert "mnist-stand-in" in text(table)


BATCHES = [campaign.case(name, batch_size=size) for name in ("red", "blue") for size in (128, 256)]


def test_a_mean_over_batch_sizes_is_shown_with_its_competitors(tmp_path):
    made_means = made(tmp_path, "means", BATCHES, lambda about, _: about["batch_size"] / 128)
    assert "<td>1.50<" in made_means[0]
    assert "batch 128 with rmsprop and batch 256 with rmsprop" in text(made_means[0])


def test_steps_have_no_first_epoch_and_say_so(tmp_path):
    assert made(tmp_path, "first", CASES) == [gaps.gap(ours.NO_EPOCHS)]


def test_parameters_are_those_that_the_article_printed_in_millions():
    """Its numbers are whole millions; of ResNet50's 23.8 it printed 23: that one is cut off, not rounded."""
    printed = [each for each in literature.figures(ARTICLES["cnn_zoo"].SOURCE) if each.table == "Parameters by model"]
    assert {each.workload for each in printed} == set(ARTICLES["cnn_zoo"].WORKLOADS)
    for each in printed:
        assert abs(registry.workload(each.workload).PARAMETERS / 1e6 - float(each.value)) < 1, each.workload


def test_parameters_are_those_that_the_workload_states():
    section = Section(workloads=["mnist_mlp", "no_such_network"])
    assert f"{registry.workload('mnist_mlp').PARAMETERS:,}" in text(ours.parameters(section))


def test_hostile_text_reaches_no_fragment_alive(tmp_path):
    cases = [campaign.case(name, mode) for name in ("red", "blue") for mode in ("eager", "compiled")]
    times = lambda about, _: "failed" if about["environment"] == "blue" else 0.01  # noqa: E731
    lines = campaign.lines(cases, times)
    for line in lines:
        line.update({key: PAYLOAD for key in ("reason", "error_tail") if line.get("status") == "failed"})
    fragments = article.fragments(shown.found(tmp_path, lines))
    assert len(fragments) > len(ARTICLES)
    for name, fragment in fragments.items():
        assert alive(fragment) == [], name


def test_without_results_every_article_still_has_all_its_fragments(tmp_path):
    wanted = {f"{name}/{part}" for name, module in ARTICLES.items() for part in articles.parts(module)}
    assert set(article.fragments(shown.found(tmp_path))) == {"index", *wanted}


def test_the_index_counts_the_networks_that_have_a_time(tmp_path):
    page = article.index(found(tmp_path, CASES, campaign.always(0.01)))
    assert "1 of 5" in text(page)
    assert html.safe(ARTICLES["cnn_zoo"].SOURCE) in page
