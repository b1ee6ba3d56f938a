"""Articles: every published number is on its page, what we lack is a gap with its reason, hostile text is harmless."""

import re
from pathlib import Path

import campaign
import pytest
import shown
from shown import PAYLOAD, alive
from shown import text_of as text

from analysis import articles, figures, literature
from analysis.articles import Section
from analysis.site import build
from analysis.site.pages import article, cited, gaps, loops, ours
from analysis.text import html
from analysis.units import workload_title
from bench import proof, registry

ROOT = Path(__file__).resolve().parents[2]
ARTICLES = articles.found()
ABOUT = Section(ours=["times"], workloads=["mnist_mlp"])
PER_SAMPLES = Section(workloads=["mnist_mlp"], per_samples=1000)


def found(folder, cases, times, change=lambda _: None):
    lines = campaign.lines(cases, times)
    for line in lines:
        change(line)
    return shown.found(folder, lines)


def made(folder, kind, cases, times=None, section=ABOUT, **more):
    times = times or campaign.noisy({"red": 0.010, "blue": 0.013})
    return ours.TABLES[kind](found(folder, cases, times, **more), section, "test-machine")


CASES = [campaign.case(name) for name in ("red", "blue")]


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


def test_a_first_epoch_takes_seconds_more_and_times_as_long_over_the_whole_data_set(tmp_path):
    first = made(tmp_path, "first", [campaign.over_data("red")], campaign.always(3.0))
    (told,) = first.findings
    assert told.startswith("The first epoch takes 3.0 to 3.0 s more than a later one.")
    times = f"{1 + 10 / (60000 // 128):.2f}"  # ten steps took 3 s; the data set has 60,000 // 128
    assert told.endswith(f"that would make it {times} to {times} times as long.")
    ratios, parts = map(text, first.tables)
    assert "compiler caches emptied" in ratios
    for part in (
        "import (s)",
        "build (s)",
        "first step (s)",
        "rest of the first epoch (s)",
        "until it ends (s)",
        "more than a later epoch (s)",
    ):
        assert part in parts


def test_what_one_epoch_took_is_no_multiple_of_a_later_one(tmp_path):
    def change(line):
        if line["kind"] == "epochs":
            line.update(epoch_s=[3.0], test_scores=[0.5], evaluation_s=[0.1])

    first = made(tmp_path, "first", [campaign.over_data("red")], campaign.always(3.0), change=change)
    assert first.findings == []
    assert "first epoch (s)" in text(first.tables[-1])


def test_a_section_says_which_networks_were_measured_with_other_code(tmp_path):
    section = Section(ours=["times"], workloads=["mnist_mlp", "mnist_cnn"])
    cases = [campaign.case("pytorch", workload=name) for name in section.workloads]
    now = proof.code_hash(registry.model_path(registry.environments()["pytorch"], "mnist_cnn"))

    def change(line):
        if line["kind"] == "run" and line["case"]["workload"] == "mnist_cnn":
            line["code"] = now

    measured = found(tmp_path, cases, campaign.always(1.0), change=change)
    page = article.section(measured, "rosetta_stone", ARTICLES["rosetta_stone"], section)
    (note,) = (text(line) for line in page.split("\n") if "other model files" in line)
    assert note.startswith(f"{workload_title('mnist_mlp')}: measured with other model files of")
    assert workload_title("mnist_cnn") not in note


def test_epochs_over_cut_data_give_way_to_steps(tmp_path):
    cases = [campaign.case("red"), campaign.over_data("red", data="mnist-stand-in-8")]
    both = found(tmp_path, cases, campaign.always(1.0))
    (table,) = ours.times(both, ABOUT, "test-machine").tables
    assert "time per step" in text(table)
    (scores,) = ours.scores(both, ABOUT, "test-machine").tables
    assert "mnist-stand-in-8" in text(scores)


def test_a_framework_s_own_loop_is_held_against_the_one_by_hand_within_rounds(tmp_path):
    cases = [campaign.over_data(name, task=task) for name in ("red", "blue") for task in ("epochs", "fit")]
    times = lambda about, number: (1.5 if about["task"] == "fit" else 1.0) * (1 + 0.3 * number)  # noqa: E731
    (table,) = made(tmp_path, "loops", cases, times).tables
    assert text(table).count("1.50") >= 2
    assert made(tmp_path / "one", "loops", cases[::2], times).tables == [gaps.gap(ours.NO_LOOPS)]


def test_a_loop_that_does_but_one_of_both_is_held_against_the_default_of_the_other(tmp_path):
    modes = {"fit": ("fit", "fit_eager"), "epochs": ("loop",)}
    cases = [campaign.over_data("red", mode, task=task) for task, own in modes.items() for mode in own]

    def documented(line):
        if line["kind"] == "environment":
            line.update(default_mode="fit", default_modes={task: own[0] for task, own in modes.items()})

    (table,) = made(tmp_path, "loops", cases, campaign.always(1.0), change=documented).tables
    assert text(table).count("Red 1.0") == 1
    assert "fit / loop, default" in text(table)


def test_loops_of_two_campaigns_share_no_round(tmp_path):
    days = [campaign.lines([campaign.over_data("red", task=task)], campaign.always(1.0), campaign=f"2026-11-{day} 0900")
            for day, task in ((18, "epochs"), (19, "fit"))]  # fmt: skip
    both = shown.found(tmp_path, *days)
    assert loops.table(both, both.answers) is None


def whole(folder, data, epochs):
    def change(line):
        if line["kind"] == "epochs":
            line.update(epoch_s=[2.0] + [1.0] * (epochs - 1), test_scores=[0.5] * epochs, evaluation_s=[0.1] * epochs)

    cases = [campaign.over_data("red", data=data)]
    (table,) = made(folder, "totals", cases, campaign.always(1.0), change=change).tables
    return text(table)


def test_a_whole_training_is_never_extrapolated(tmp_path):
    wanted = registry.workload("mnist_mlp").EPOCHS
    assert "stand-in" in whole(tmp_path / "a", "mnist-stand-in", wanted)
    assert f"3 of {wanted} epochs were run" in whole(tmp_path / "b", "mnist", 3)
    assert f"time of the whole training (s), {wanted} epochs" in whole(tmp_path / "c", "mnist", wanted)


def test_scores_come_with_their_agreement(tmp_path):
    cases = [campaign.over_data(name) for name in ("red", "blue")]
    (table,) = made(tmp_path, "scores", cases, campaign.always(1.0)).tables
    assert "the same" in text(table)
    assert "accuracy after the last epoch" in text(table)


@pytest.mark.parametrize(("first", "steps"), [(100.5, "100"), (1.0, "0")])
def test_compiling_pays_after_as_many_steps_as_earn_the_dearer_first_one_back(tmp_path, first, steps):
    cases = [campaign.case("red", mode) for mode in ("eager", "compiled")]

    def change(line):
        if line["kind"] == "run":
            line["first_step_s"] = first if line["case"]["mode"] == "compiled" else 1.0

    times = lambda about, _: 2.0 if about["mode"] == "eager" else 1.0  # noqa: E731
    (table,) = made(tmp_path, "modes", cases, times, change=change).tables
    assert f"<td>{steps}</td></tr>" in table


def test_compiling_is_compared_within_each_environment(tmp_path):
    cases = [campaign.case("red", mode) for mode in ("eager", "compiled")]
    times = lambda about, number: (2.0 if about["mode"] == "eager" else 1.0) * (1 + 0.001 * number)  # noqa: E731
    made_modes = made(tmp_path, "modes", cases, times)
    assert "2.00" in text(made_modes.tables[0])
    assert made(tmp_path / "more", "modes", CASES).tables == [gaps.gap(ours.NO_CONTRAST)]

    def left_alone(line):
        line.update({"compiled": "nothing"} if line.get("case", {}).get("mode") == "compiled" else {})

    alone = made(tmp_path / "alone", "modes", cases, times, change=left_alone)
    assert alone.tables == [gaps.gap(ours.NO_CONTRAST)]


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
    build.write(campaign.write(tmp_path / "results", lines), tmp_path / "out")
    fragments = list((tmp_path / "out" / "fragments" / "articles").rglob("*.md"))
    assert len(fragments) > len(ARTICLES)
    for path in fragments:
        assert alive(path.read_text(encoding="utf-8")) == [], path.name


def test_without_results_every_article_still_has_all_its_fragments(tmp_path):
    build.write(tmp_path / "results", tmp_path / "out")
    folder = tmp_path / "out" / "fragments" / "articles"
    written = {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.md")}
    wanted = {f"{name}/{part}" for name, module in ARTICLES.items() for part in articles.parts(module)}
    assert written == {"index", *wanted}


def test_the_index_counts_the_networks_that_have_a_time(tmp_path):
    page = article.index(found(tmp_path, CASES, campaign.always(0.01)))
    assert "1 of 5" in text(page)
    assert html.safe(ARTICLES["cnn_zoo"].SOURCE) in page
