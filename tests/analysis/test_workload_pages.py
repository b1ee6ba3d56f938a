"""A network's page: its numbers in words that claim no more than is proven, causes, remedies, and all its code."""

import html
import re
import shlex

import campaign
import pytest
import shown
from page_parts import CASES, comparison, found, row, times
from shown import text_of

from analysis import releases
from analysis.releases import Release
from analysis.site.pages import checked, held_back, measured_again, why, workload
from bench import registry
from bench.cases import Case, select
from bench.cli import options, verbs

OF_TODAY = [each for each in registry.environments().values() if each.is_default]
FOLDERS = [[each for each in OF_TODAY if each.framework == name] for name in registry.framework_names()]
SEVERAL = next(own for own in FOLDERS if len({each.backend for each in own}) > 1)  # of one framework


def test_the_page_of_parity_shows_each_workload_s_largest_error_and_each_failure_once(tmp_path):
    matrix = [row("red", "blue", 5e-5), row("blue", "red", 5e-5), row("red", "green", 1.0), row("green", "red", 1.0)]
    page = checked.parity_page(found(tmp_path, CASES, times, matrix))
    text = text_of(page)
    assert text.startswith("2 of 4 comparisons of two answers pass.")
    assert "MLP on MNIST 2 of 4 50 % outputs" in text
    assert text.count("green and red, mnist_mlp: ") == 1
    assert "<script" not in page


def test_an_error_that_is_not_a_number_is_infinite():
    assert checked.share(comparison(float("inf"))) == "∞"


def page(folder, truth, rounds=8, workload_name="mnist_mlp", **about):
    """Return a network's page where environments took these times."""
    usual = next(iter(registry.workload(workload_name).OPTIMIZERS))
    cases = [campaign.case(name, workload=workload_name, optimizer=usual) for name in truth]
    lines = campaign.lines(cases, campaign.noisy(truth), rounds=rounds, **about)
    return workload.page(shown.found(folder, titled(lines)), workload_name)


def titled(lines):
    """Give environments of the registry the titles that their folders state."""
    known = registry.environments()
    return [{**each, "title": known[each["environment"]].title}
            if each["kind"] == "environment" and each["environment"] in known else each for each in lines]  # fmt: skip


def rows(text):
    """Return the rows of a page's tables as a reader sees them, the headers left out."""
    found_rows = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', text)
    return [[text_of(name), *map(text_of, re.findall("<td>(.*?)</td>", cells))] for name, cells in found_rows]


def test_a_row_whose_framework_has_a_newer_release_is_marked_and_the_release_named(tmp_path, monkeypatch):
    own, other, third = (each.name for each in OF_TODAY[:3])
    monkeypatch.setattr(releases, "newest", lambda: {own: Release(own, "1.1.0", "2026-11-28")})
    text = page(tmp_path, {own: 0.010, other: 0.020, third: 0.030})
    assert [name.endswith("\u2020") for name, *_ in rows(text)] == [True, False, False]
    assert f"\u2020 Newer: {own} 1.1.0." in text_of(text)
    monkeypatch.setattr(releases, "newest", dict)
    assert "Newer" not in text_of(page(tmp_path / "no list", {own: 0.010, other: 0.020}))


def test_releases_that_are_held_back_are_named_apart_with_the_reason(tmp_path, monkeypatch):
    first, second, third = (each.name for each in OF_TODAY[:3])
    reasons = {first: "needs Python 3.12", second: "", third: "needs Python 3.12"}
    monkeypatch.setattr(releases, "newest", lambda: {name: Release(name, "1.1.0", "2026-11-28", reason)
                                                     for name, reason in reasons.items()})  # fmt: skip
    made = shown.found(tmp_path, campaign.lines([campaign.case(name) for name in reasons], campaign.always(0.010)))
    both = " and ".join(f"{name} 1.1.0" for name in sorted([first, third]))
    text = held_back(made, [("test-machine", name) for name in reasons])
    assert text == f"{second} 1.1.0; {both} (needs Python 3.12)"


def test_a_table_is_in_the_order_of_its_numbers_and_says_only_what_is_proven(tmp_path):
    told = rows(page(tmp_path, {"red": 0.010, "blue": 0.010, "green": 0.020, "gold": 0.030}))
    assert [float(each[3].split()[0]) for each in told] == sorted(float(each[3].split()[0]) for each in told)
    words = {each[0]: (each[1], each[4]) for each in told}
    assert words["Gold 1.0"][1] == "3"
    assert re.fullmatch(r"(2\.9|3\.0|3\.1)x slower \(\d\.\d+ to \d\.\d+\)", words["Gold 1.0"][0])
    best = {words["Red 1.0"][0], words["Blue 1.0"][0]}
    assert "baseline" in best
    assert (best - {"baseline"}).pop().startswith(("tie", "not significant: 1.0"))


def test_the_throughput_is_the_batch_over_the_time(tmp_path):
    first = rows(page(tmp_path, {"red": 0.010, "blue": 0.020}))[0]
    assert float(first[2].replace(",", "")) == pytest.approx(128 / 0.010, rel=0.05)


def test_a_table_s_title_holds_all_that_its_numbers_depend_on(tmp_path):
    (caption,) = re.findall("<caption>(.*?)</caption>", page(tmp_path, {"red": 0.010, "blue": 0.020}, rounds=4))
    assert text_of(caption) == (
        "Test at 3 GHz, 8 CPUs: training step, fp32, batch 128, 4 threads, rmsprop (1 campaign, 4 rounds)"
    )


def test_a_reader_with_a_slow_recurrent_network_finds_number_cause_and_remedy_in_one_paragraph(tmp_path):
    slow = max(SEVERAL, key=lambda own: (own.backend in own.differs["recurrent_layers"], own.name))
    truth = {**{own.name: 0.01 for own in SEVERAL}, slow.name: 0.04}
    (brief,) = re.findall(r'<p class="brief">(.*?)</p>', page(tmp_path, truth, workload_name="imdb_gru"))
    told = text_of(brief)
    assert re.search(r"Slowest: .+, (3\.9|4\.0|4\.1)x slower than the fastest on 1 machine\.", told)
    if slow.backend in slow.differs["recurrent_layers"]:
        assert slow.differs["recurrent_layers"] in told
    assert "Remedy: run the same code on " in told


def test_no_cause_is_told_of_a_network_without_recurrent_layers():
    assert [why.causes(own.name, "vgg16") for own in SEVERAL] == [[]] * len(SEVERAL)


def machine(name, gpu=None):
    """Return what changes a campaign's first line to one of another machine."""
    return {"machine": {**campaign.bench([])["machine"], "name": name, "gpu": gpu, "gpu_driver": gpu and "1"}}


def test_machines_with_a_gpu_come_first(tmp_path):
    lines = campaign.lines(CASES[:2], campaign.noisy({"red": 0.01, "blue": 0.02}))
    of_gpu = [dict(case, device="gpu") for case in CASES[:2]]
    other = campaign.lines(of_gpu, campaign.noisy({"red": 0.01, "blue": 0.02}), campaign="2026-11-22 0900")
    other = campaign.changed(other, "bench", **machine("z", "Fast 9000"))
    captions = re.findall(
        "<caption>(.*?):", html.unescape(workload.page(shown.found(tmp_path, lines, other), "mnist_mlp"))
    )
    assert captions == ["Fast 9000", "Test at 3 GHz, 8 CPUs"]


def test_an_own_quick_campaign_adds_no_empty_heading_or_cell_and_renames_no_machine(tmp_path):
    truth = campaign.noisy({"red": 0.01, "blue": 0.02})
    linear = [campaign.case(name, workload="linear", optimizer="adam") for name in ("red", "blue")]
    published = [campaign.lines([*CASES[:2], *linear], truth, campaign=f"2026-11-20 {hour}00") for hour in ("09", "10")]
    before = shown.found(tmp_path, *published)
    own = campaign.changed(campaign.lines(CASES[:2], truth, rounds=4, campaign="2026-11-24 0900"), "bench",
                           **machine("a-laptop"))  # fmt: skip
    after = shown.found(tmp_path, own)
    assert after.names["test-machine"] == before.names["test-machine"]
    assert workload.page(after, "linear") == workload.page(before, "linear")
    both = workload.page(after, "mnist_mlp")
    assert "[a-laptop]: training step, fp32, batch 128, 4 threads, rmsprop (1 campaign, 4 rounds)" in text_of(both)
    assert "<td></td>" not in both


@pytest.mark.parametrize("name", registry.workload_names())
def test_a_page_holds_the_code_of_every_framework_measured_by_default_once(tmp_path, name):
    text = workload.page(shown.found(tmp_path), name)
    wanted = {f"bench/frameworks/{each.framework}/{name}.py" for each in registry.environments().values()
              if each.is_default and registry.answers(each, name)}  # fmt: skip
    assert sorted(re.findall(r'--8<-- "(.+?)"', text)) == sorted({f"bench/workloads/{name}.py", *wanted})


OTHERS = sorted(f"era({name})" for name, each in registry.environments().items()
                if not each.is_default and registry.answers(each, "mnist_mlp"))  # fmt: skip


def of_the_registry(folder, **changes):
    """What is found of a campaign that measured this repository's own environments in their documented modes."""
    known = registry.environments()
    answering = [each for each in known.values() if registry.answers(each, "mnist_mlp")]
    task = changes.get("task", "train")
    modes = {each.name: registry.modes(each, task)[0].name for each in answering}
    cases = [campaign.case(each.name, modes[each.name], layout=each.layout, **changes) for each in answering]

    lines = campaign.lines(cases, campaign.always(0.01))
    for line in lines:
        if line["kind"] == "environment":
            default = known[line["environment"]].modes[0].name
            line.update(default_mode=default, default_modes={task: modes[line["environment"]]})
    return cases, shown.found(folder, lines)


def newest(made, answer):
    """The newest campaign that a table comes from."""
    return made.results.answered[answer.question.key][-1]


def selected(command, cases):
    """Return the sessions and the options of a command, and the cases that these select where `cases` can run."""
    given = shlex.split(command)
    arguments = options.parser().parse_args(["run", *given[given.index("--") + 1 :]])
    devices = {case["environment"]: arguments.device for case in cases}
    return given[: given.index("--")], arguments, select(verbs.selection(arguments, first_only=True), devices)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"precision": "tf32"},
        {"task": "infer", "optimizer": "none"},
        {"task": "epochs", "data": "mnist"},
        {"task": "epochs", "data": "mnist-stand-in-300"},
    ],
)
def test_the_command_of_a_row_selects_that_row_alone_with_the_settings_of_its_campaign(tmp_path, changes):
    cases, made = of_the_registry(tmp_path, **changes)
    (answer,) = made.answers
    for cell in answer.measured:
        sessions, arguments, (chosen,) = selected(measured_again(newest(made, answer), answer.question, cell), cases)
        other = f"era({cell.row[0]})"
        assert sessions == ["nox", "-s", other if other in OTHERS else "bench"]
        assert chosen.id in {Case(**case).id for case in cases}
        assert (chosen.environment, chosen.mode) == cell.row
        assert (arguments.profile, arguments.rounds, arguments.budget, arguments.threads) == ("quick", 5, 300.0, 4)
