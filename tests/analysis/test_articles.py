"""An article's page has every published number, and ours beside it or the reason why not."""

import re
from pathlib import Path

import campaign
import pytest
import shown
from article import ARTICLES, CASES, found, made
from shown import PAYLOAD, alive
from shown import text_of as text

from analysis import articles, figures, literature
from analysis.articles import Section
from analysis.figures.style import Saved
from analysis.site.pages import article, cited, gaps, ours
from analysis.text import html
from bench import registry

ROOT = Path(__file__).resolve().parents[2]
PER_SAMPLES = Section(workloads=["mnist_mlp"], per_samples=1000)


def test_who_waits_for_a_budget_is_named_below_a_table_and_has_no_row(tmp_path):
    times = campaign.noisy({"red": 0.010, "blue": 0.013})
    waits = made(
        tmp_path, "times", CASES, lambda about, n: "over_budget" if about["environment"] == "blue" else times(about, n)
    )
    (table,) = waits.tables
    assert (table.count("Red 1.0"), table.count("Blue 1.0")) == (1, 1)
    assert text(table).endswith("Not measured yet, for no budget held it: Blue 1.0 (eager).")


@pytest.mark.parametrize("name", ARTICLES)
def test_every_published_number_is_named_on_the_articles_page(name):
    module = ARTICLES[name]
    tables = [table for section in module.SECTIONS.values() for table in section.published]
    figures_then = literature.figures(module.SOURCE)
    assert {figure.table for figure in figures_then} == set(tables)
    for figure in figures_then:
        page = text(cited.table(module.SOURCE, figure.table))
        name = figure.workload if figure.framework == "all" else figure.framework
        for word in (name, figure.value, figure.hardware, figure.unit, module.SOURCE):
            assert word in page


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
        assert set(section.figures) <= set(figures.found())
        assert set(section.ours) <= {*ours.TABLES, "parameters"}
        assert set(section.workloads) <= set(module.WORKLOADS)


def test_a_note_on_one_number_stands_below_it_and_one_on_a_row_beside_it():
    source = ARTICLES["rosetta_stone"].SOURCE
    first, last = (text(cited.table(source, name)) for name in (
        "1. Training time: CNN on CIFAR-10", "4. Training time: RNN (GRU) on IMDB"))  # fmt: skip
    assert "not measured by the source" in first
    assert "note" not in first.split("Caffe2")[0]
    assert last.count("cuDNN RNN: no") == 1


def test_what_is_the_same_in_all_rows_is_no_column():
    parameters = text(cited.table(ARTICLES["cnn_zoo"].SOURCE, "Parameters by model"))
    assert "framework" not in parameters
    assert parameters.count("rounded by the source") == 1  # in the caption


def test_a_number_that_the_source_has_not_is_a_dash_and_never_zero():
    table = str(cited.table(ARTICLES["rosetta_stone"].SOURCE, "1. Training time: CNN on CIFAR-10"))
    row = next(line for line in table.split("\n") if "Knet" in line)
    assert "<td>&#8211;" in row


def test_a_network_without_a_file_is_a_gap_with_its_reason(tmp_path):
    section = Section(workloads=["no_such_network"])
    (gap,) = gaps.missing(found(tmp_path, CASES, campaign.always(0.01)), section)
    assert 'class="missing"' in gap
    assert "no_such_network is not among this project's workloads yet" in text(gap)


def test_a_network_without_a_result_is_a_gap_that_names_the_machine(tmp_path):
    section = Section(workloads=["imdb_gru"], gaps=["The article has only a chart."])
    sentences = [text(gap) for gap in gaps.missing(found(tmp_path, CASES, campaign.always(0.01)), section)]
    assert "was not measured on test-machine" in sentences[0]
    assert "only a chart" in sentences[1]


def test_what_one_machine_has_is_no_gap_of_another_and_who_measured_nothing_of_it_is_not_named(tmp_path):
    def lines(machine, **changes):
        cases = [campaign.case(name, **changes) for name in ("red", "blue")]
        return campaign.lines(cases, campaign.always(0.01), machine=machine)

    steps, elsewhere = lines("with-steps"), lines("with-others", workload="imdb_gru", batch_size=64, optimizer="adam")
    epochs = lines("with-epochs", task="epochs", data="mnist-stand-in")
    about = Section(ours=["first"], workloads=["mnist_mlp", "linear"])

    def page(folder, *campaigns):
        given = shown.found(tmp_path / folder, *campaigns)
        return text(article.section(given, "keras_backends", ARTICLES["keras_backends"], about))

    alone, together = page("alone", steps), page("together", steps, elsewhere, epochs)
    assert ours.NO_EPOCHS in alone
    assert ours.NO_EPOCHS not in together
    assert "was not measured on with-steps" in together
    assert "with-others" not in together


def test_why_a_figure_is_not_drawn_is_told_only_where_no_machine_has_it(tmp_path):
    def lines(machine):
        return campaign.lines([campaign.case("red")], campaign.always(0.01), machine=machine)

    made = shown.found(tmp_path, lines("one"), lines("another"))
    about = Section(figures=["step_time"], workloads=["mnist_mlp"])

    def page():
        return text(article.section(made, "keras_backends", ARTICLES["keras_backends"], about))

    assert page().count("Not drawn: not drawn: ('step_time', 'mnist_mlp'") == 2
    made.pictures["step_time", "mnist_mlp", "one"] = Saved("a-name", (10, 10), "what it shows")
    assert "Not drawn" not in page()
    assert "another" not in page()


def test_where_one_machine_has_many_tables_all_are_folded_away_and_none_looks_like_the_answer(tmp_path):
    four = ["mnist_mlp", "linear", "bn_mlp", "imdb_gru"]
    about = Section(ours=["times"], workloads=four)

    def of(machine, names):
        stated = {name: (registry.workload(name).BATCH_SIZES[0], registry.optimizers(name)[0]) for name in names}
        cases = [campaign.case(each, workload=name, batch_size=stated[name][0], optimizer=stated[name][1])
                 for name in names for each in ("red", "blue")]  # fmt: skip
        return campaign.lines(cases, campaign.always(0.01), machine=machine)

    def open_and_folded(folder, *campaigns):
        given = shown.found(tmp_path / folder, *campaigns)
        page = article.section(given, "keras_backends", ARTICLES["keras_backends"], about)
        return [part.count("<table") for part in page.partition('<details class="numbers">')[::2]]

    few, many = of("with-few", four[:2]), of("with-many", four)
    assert open_and_folded("few", few) == [2, 0]
    assert open_and_folded("both", few, many) == [0, 6]


def test_times_name_hardware_and_day_and_a_cell_without_one_its_reason(tmp_path):
    times = lambda about, _: "out_of_memory" if about["environment"] == "blue" else 0.01  # noqa: E731
    (table,) = made(tmp_path, "times", CASES, times).tables
    assert "test-machine, fp32 on the CPU, documented tier, measured 2026-11-20" in text(table)
    assert "out of memory: it was planted" in text(table)


def test_where_all_cells_are_missing_the_reasons_stay(tmp_path):
    (table,) = made(tmp_path, "times", CASES, campaign.always("failed")).tables
    assert text(table).count("failed: it was planted") == 2


def test_a_time_for_many_samples_is_a_step_over_its_batch(tmp_path):
    (table,) = made(tmp_path, "times", CASES, campaign.always(0.128), PER_SAMPLES).tables
    assert "time per 1,000 samples (s)" in text(table)
    assert "<td>1.00<" in table


def test_epochs_are_never_scaled_to_samples(tmp_path):
    (table,) = made(tmp_path, "times", [campaign.over_data("red")], campaign.always(2.0), PER_SAMPLES).tables
    assert "time per epoch (s)" in text(table)
    assert "mnist-stand-in" in text(table)


BATCHES = [campaign.case(name, batch_size=size) for name in ("red", "blue") for size in (128, 256)]


def test_several_questions_are_summed_up_by_who_leads_them(tmp_path):
    (finding,) = made(tmp_path, "times", BATCHES).findings
    assert finding == "May be the fastest in 2 questions: Red 1.0 (eager) in 2."


def test_a_mean_over_batch_sizes_is_shown_with_its_competitors(tmp_path):
    made_means = made(tmp_path, "means", BATCHES, lambda about, _: about["batch_size"] / 128)
    assert "<td>1.50<" in made_means.tables[0]
    assert "batch 128 with rmsprop and batch 256 with rmsprop" in text(made_means.tables[0])


def test_steps_have_no_first_epoch_and_say_so(tmp_path):
    assert made(tmp_path, "first", CASES).tables == [gaps.gap(ours.NO_EPOCHS)]


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
