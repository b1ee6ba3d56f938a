"""The generated part of the site: every page is there, with and without data, and hostile results do not reach it."""

import json
import re

import campaign
import pytest
import shown
from page_parts import CASES, found, times
from shown import PAYLOAD, alive, changed

from analysis import figures
from analysis.articles import ARTICLES
from analysis.estimate.estimates import first_questions
from analysis.site import build
from analysis.site.pages import compare, framework, machines, results, workload
from analysis.text import frameworks, sentences
from bench import registry

SLUG = "2f4131c6"  # of the only machine


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    lines = changed(campaign.lines(CASES, times), "bench", telemetry=PAYLOAD)
    lines = changed(lines, "environment", loaded={PAYLOAD: PAYLOAD})
    for line in lines:
        if line["kind"] == "run":
            is_ok = line["status"] == "ok"
            line.update({"compiled": PAYLOAD} if is_ok else {"reason": PAYLOAD, "error_tail": PAYLOAD})
    lines.insert(-1, campaign.void(CASES[0], 9, reason=PAYLOAD, kept=PAYLOAD))
    build.write(campaign.write(folder / "results", lines), folder / "out")
    return folder / "out"


def test_every_framework_has_a_page_that_the_index_lists(written):
    names = registry.framework_names()
    assert {path.stem for path in (written / "frameworks").iterdir()} == {"index", *names}
    index = (written / "frameworks" / "index.md").read_text(encoding="utf-8")
    assert all(f'href="{name}/"' in index for name in names)


def test_every_workload_has_a_page(written):
    assert {path.stem for path in (written / "workloads").glob("*.md")} == {"index", *registry.workload_names()}


def test_hostile_text_reaches_no_page_alive(written):
    for path in written.rglob("*.md"):
        assert alive(path.read_text(encoding="utf-8")) == [], path.name


def test_what_has_no_time_is_one_line_with_its_reason(tmp_path):
    held = ("red", 128)
    times = lambda about, _: 0.01 if (about["environment"], about["batch_size"]) == held else "over_budget"  # noqa: E731
    cases = [campaign.case(name, batch_size=size) for name in ("red", "blue") for size in (128, 512)]
    text = shown.text_of(workload.page(found(tmp_path, cases, times), "mnist_mlp"))
    assert "batch 512" not in text
    assert "Time limit: Blue (fp32)." in text


def test_each_figure_has_its_data_beside_it(written):
    names = {path.stem for path in written.glob("figures/*.svg")}
    assert names == {path.stem for path in written.glob("figures/*.csv")}
    assert "slowdowns-mnist_mlp" in names


def test_file_names_come_from_the_registry_alone(written):
    known = {"home", *figures.found(), *ARTICLES, *registry.workload_names()}
    assert {part for path in written.glob("figures/*") for part in path.stem.split("-")} <= known


def test_a_second_time_nothing_is_written_and_a_page_that_is_no_longer_wanted_goes(written):
    stale = written / "workloads" / "gone.md"
    stale.write_text("old")
    assert " 0 written, 1 removed" in build.write(written.parent / "results", written)
    assert not stale.exists()


@pytest.mark.nightly
def test_a_picture_is_drawn_anew_where_another_question_moved_its_intervals(tmp_path):
    kept, picture = tmp_path / "out", "figures/slowdowns-mnist_mlp.svg"
    truth, otherwise = ({"red": 0.010, "blue": blue, "green": 0.020} for blue in (0.013, 0.017))
    results = campaign.write(tmp_path / "results", campaign.in_turns(campaign.lines(CASES, campaign.noisy(truth), 4)))
    build.write(results, kept)
    before = (kept / picture).read_bytes()
    other = [dict(case, workload="bn_mlp", optimizer="adam") for case in CASES]
    for name, own in (("2026-11-20 1000", truth), ("2026-11-20 1100", otherwise)):  # campaigns differ here, it shows
        campaign.write(results, campaign.in_turns(campaign.lines(other, campaign.noisy(own), 4, campaign=name)))
    build.write(results, kept)
    assert (kept / picture).read_bytes() != before


def test_without_results_every_page_says_that_nothing_was_measured(tmp_path):
    nothing = shown.found(tmp_path)
    pages = [framework.home(nothing), *(each.page(nothing) for each in (compare, machines, results))]
    pages += [workload.page(nothing, name) for name in registry.workload_names()]
    assert [page for page in pages if "easured yet" not in page] == []
    tables = (each.data(nothing)[f"data/{name}.json"] for each, name in ((compare, "compare"), (results, "results")))
    assert (machines.pages(nothing), [json.loads(table)["rows"] for table in tables]) == ({}, [0, 0])


def test_code_is_included_from_the_measured_files(written):
    page = (written / "workloads" / "mnist_mlp.md").read_text(encoding="utf-8")
    included_files = set(re.findall(r'--8<-- "(.+?)"', page))
    assert "bench/workloads/mnist_mlp.py" in included_files
    answering = [each for each in registry.environments().values() if registry.answers(each, "mnist_mlp")]
    of_today = {each.framework for each in answering if each.is_default}
    assert {f"bench/frameworks/{name}/mnist_mlp.py" for name in of_today} <= included_files


def test_a_workload_s_usual_batch_comes_first_whatever_its_size(tmp_path):
    (usual,) = registry.workload("mnist_mlp").BATCH_SIZES
    cases = [campaign.case(name, batch_size=size) for size in (16, usual, 1024) for name in ("red", "blue")]
    results = found(tmp_path, cases, campaign.always(0.01))
    (machine,) = {answer.question.machine for answer in results.answers}
    assert [answer.question.batch_size for answer in results.of(machine, "mnist_mlp")] == [usual, 16, 1024]
    (first,) = (each for each in first_questions(results.answers) if each.question.workload == "mnist_mlp")
    assert first.question.batch_size == usual  # that home tells of


def test_a_file_that_changed_since_the_measurement_is_pointed_out(tmp_path):
    case = campaign.case(next(iter(registry.environments())))  # synthetic runs carry the hash of no file
    assert workload.changed(found(tmp_path, [case], campaign.always(0.01)), "mnist_mlp")


def test_all_who_may_be_the_fastest_are_named_and_by_how_much_the_others_are_behind_at_least(tmp_path):
    (answer,) = found(tmp_path, CASES, campaign.noisy({"red": 0.010, "blue": 0.010, "green": 0.020})).answers
    told = re.fullmatch(
        r"fastest of 3: \w+ 1.0 \(eager\) or \w+ 1.0 \(eager\); Green 1.0 \(eager\) is at least (\d+) % slower.",
        sentences.leaders(answer),
    )
    assert 90 <= int(told[1]) < 100


@pytest.mark.parametrize(
    ("titles", "shared"),
    [
        (("Red 3 on Blue", "Red 3 on Green"), "Red 3"),
        (("Red 1.0, with Extras",), "Red 1.0, with Extras"),
        (("Red by hand",), "Red by hand"),
        (("Red by hand on Blue", "Red by hand on Green"), "Red by hand"),
        (("Red by hand", "Red by hand on Green"), "Red by hand"),
        (("Red on Blue, twice", "Red on Green, twice"), "Red"),
        (("Red 2", "Red 1"), "Red"),
        (("One", "Two"), "framework"),
    ],
)
def test_a_framework_is_called_by_what_its_environments_share(titles, shared):
    any_one = next(iter(registry.environments().values()))
    environments = [any_one._replace(title=title, framework="framework") for title in titles]
    assert frameworks.framework_title(environments) == shared
