"""The generated part of the site: every page is there, with and without data, and hostile results do not reach it."""

import html
import os
import re
import shlex
from pathlib import Path

import campaign
import pytest
import shown
from shown import PAYLOAD, alive, changed, text_of

from analysis import articles, figures, units
from analysis.estimate.estimates import first_questions
from analysis.figures import style
from analysis.plugins import title
from analysis.site import build
from analysis.site.pages import (
    code,
    details,
    home,
    included,
    overall,
    parity,
    reached,
    reproduce,
    tables,
    workload,
)
from analysis.stats.bootstrap import MIN_ROUNDS
from analysis.text import sentences
from bench import __main__ as main
from bench import options, registry
from bench.cases import Case, select
from bench.parity import Comparison

SLUG = "2f4131c6"  # of the only machine
CASES = [campaign.case(name) for name in ("red", "blue", "green")]


def times(about, number):
    return "failed" if about["environment"] == "green" else campaign.noisy({"red": 0.010, "blue": 0.013})(about, number)


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


def test_every_workload_has_a_page(written):
    pages = {path.stem for path in (written / "workloads").glob("*.md")}
    assert pages == {"index", *registry.workload_names()}


def test_hostile_text_reaches_no_page_alive(written):
    for path in written.rglob("*.md"):
        assert alive(path.read_text(encoding="utf-8")) == [], path.name


def test_the_reason_of_a_missing_case_is_on_the_page(written):
    page = (written / "workloads" / "mnist_mlp.md").read_text(encoding="utf-8")
    assert 'class="missing">failed&#58; ' in page


def test_what_no_budget_held_is_one_paragraph_and_no_section_or_row(tmp_path):
    held = ("red", 128)
    times = lambda about, _: 0.01 if (about["environment"], about["batch_size"]) == held else "over_budget"  # noqa: E731
    cases = [campaign.case(name, batch_size=size) for name in ("red", "blue") for size in (128, 512)]
    build.write(campaign.write(tmp_path / "results", campaign.lines(cases, times)), tmp_path / "out")
    page = html.unescape((tmp_path / "out" / "workloads" / "mnist_mlp.md").read_text(encoding="utf-8"))
    assert re.findall(r"^### .*batch size (\d+)", page, re.MULTILINE) == ["128"]
    assert re.findall(r"Asked, and not measured yet, for no budget held it: (.+?, batch size \d+)", page) == [
        "training step, batch size 512"
    ]
    assert re.findall(r"Not measured yet, for no budget held it: (.+?)\.</p>", page) == ["Blue 1.0 (eager)"]
    assert "over budget" not in page


def test_each_figure_has_its_data_beside_it(written):
    names = {path.stem for path in written.glob("figures/*.svg")}
    assert names == {path.stem for path in written.glob("figures/*.csv")}
    assert f"step_time-mnist_mlp-{SLUG}" in names


def test_file_names_come_from_the_registry_alone(written):
    known = {SLUG, *figures.found(), *articles.found(), *registry.workload_names()}
    assert {part for path in written.glob("figures/*") for part in path.stem.split("-")} <= known


def test_a_second_time_nothing_is_written(tmp_path):
    folder = campaign.write(tmp_path / "results", campaign.lines(CASES, times))
    build.write(folder, tmp_path / "out")
    (line,) = build.write(folder, tmp_path / "out")
    assert " 0 written, 0 removed" in line


def test_a_picture_is_drawn_anew_where_another_question_moved_its_intervals(tmp_path):
    kept, picture = tmp_path / "out", f"figures/step_time-mnist_mlp-{SLUG}.svg"
    truth, otherwise = ({"red": 0.010, "blue": blue, "green": 0.020} for blue in (0.013, 0.017))
    results = campaign.write(tmp_path / "results", campaign.in_turns(campaign.lines(CASES, campaign.noisy(truth), 4)))
    build.write(results, kept)
    before = (kept / picture).read_bytes()
    other = [dict(case, workload="bn_mlp", optimizer="adam") for case in CASES]
    for name, own in (("2026-11-20 1000", truth), ("2026-11-20 1100", otherwise)):  # campaigns differ here, it shows
        campaign.write(results, campaign.in_turns(campaign.lines(other, campaign.noisy(own), 4, campaign=name)))
    build.write(results, kept)
    assert (kept / picture).read_bytes() != before


def test_a_page_that_is_no_longer_wanted_goes(tmp_path):
    stale = tmp_path / "out" / "workloads" / "gone.md"
    stale.parent.mkdir(parents=True)
    stale.write_text("old")
    build.write(tmp_path / "results", tmp_path / "out")
    assert not stale.exists()


def test_without_results_every_page_says_that_nothing_was_measured(tmp_path):
    build.write(tmp_path / "results", tmp_path / "out")
    pages = [tmp_path / "out" / "fragments" / "home.md", *(tmp_path / "out" / "workloads").glob("[!i]*.md")]
    for page in pages:
        if page.stem != "index":
            assert "Nothing has been measured yet" in page.read_text(encoding="utf-8")


def test_code_is_included_from_the_measured_files(written):
    page = (written / "workloads" / "mnist_mlp.md").read_text(encoding="utf-8")
    included_files = set(re.findall(r'--8<-- "(.+?)"', page))
    assert "bench/workloads/mnist_mlp.py" in included_files
    answering = [
        each for each in registry.environments().values() if Path(registry.model_path(each, "mnist_mlp")).exists()
    ]
    assert {f"bench/frameworks/{each.framework}/mnist_mlp.py" for each in answering} <= included_files


def found(folder, cases, times, matrix=(), rounds=5):
    return shown.found(folder, campaign.lines(cases, times, rounds=rounds), matrix=matrix)


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
    assert code.changed(found(tmp_path, [case], campaign.always(0.01)), "mnist_mlp")


def test_all_who_may_be_the_fastest_are_named_and_by_how_much_the_others_are_behind_at_least(tmp_path):
    truth = {"red": 0.010, "blue": 0.010, "green": 0.020}
    (answer,) = found(tmp_path, CASES, campaign.noisy(truth)).answers
    told = re.fullmatch(
        r"fastest of 3: \w+ 1.0 \(eager\) or \w+ 1.0 \(eager\); Green 1.0 \(eager\) is at least (\d+) % behind.",
        sentences.leaders(answer),
    )
    assert 90 <= int(told[1]) < 100


def comparison(error):
    return Comparison(errors={"outputs": error, "losses": 0.0}, worst={})


def row(a, b, error):
    passes = error <= 1e-4
    return {
        "workload": "mnist_mlp", "optimizer": "rmsprop", "environment_a": a, "mode_a": "eager", "environment_b": b,
        "mode_b": "eager", "proof_a": "0" * 16,  # of synthetic runs
        "comparison": comparison(error), "passes": passes, "reason": "" if passes else PAYLOAD,
    }  # fmt: skip


def test_the_parity_matrix_shows_the_worst_error_and_each_failure_once(tmp_path):
    matrix = [row("red", "blue", 5e-5), row("blue", "red", 5e-5), row("red", "green", 1.0), row("green", "red", 1.0)]
    text = parity.page(found(tmp_path, CASES, times, matrix))
    assert "&#10003; 50 &#37;" in text
    assert "2 of 4 comparisons pass" in text
    assert text.count("&#60;script") == 1


def test_an_error_that_is_not_a_number_is_infinite():
    assert parity.share(comparison(float("inf"))) == "∞"


@pytest.fixture
def asked(tmp_path):
    """What is found, its only answer, and the cell of red in it."""
    made = found(tmp_path, CASES, campaign.always(0.01))
    (answer,) = made.answers
    return made, answer, next(cell for cell in answer.cells if cell.row[0] == "red")


def test_the_parity_mark_counts_answers_of_other_environments(asked):
    made, answer, red = asked
    matrix = [row("red", "blue", 5e-5), row("red", "green", 1.0), row("red", "red", 0.0)]
    mark = tables.parity_mark(tables.kept_answers(made._replace(matrix=matrix), answer), answer, red)
    assert "1 of 2" in mark
    assert f"parity/#{answer.question.workload}" in mark
    assert "proven" not in mark
    assert "{ #mnist_mlp }" in parity.page(made)


def test_the_parity_mark_says_when_it_is_not_of_the_code_that_was_measured(asked):
    made, answer, red = asked
    later = {red.row: [{**row("red", "blue", 5e-5), "proof_a": "1" * 16}]}
    assert re.search("1 of 1</a><small>of later code", tables.parity_mark(later, answer, red))
    assert tables.parity_mark({}, answer, red) == "proven<small>not kept</small>"
    assert tables.parity_mark({}, answer, red._replace(proofs=[])) == units.NONE
    explained = text_of(tables.doubts(answer, later))
    assert "of later code: the answers that agree are those of the code as it is now;" in explained
    assert "not kept: proven when it was measured;" in explained  # of blue and green, which have no answer here
    own = [row(name, other, 5e-5) for name in ("red", "blue", "green") for other in ("red", "blue", "green")]
    assert tables.doubts(answer, tables.kept_answers(made._replace(matrix=own), answer)) == ""


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
    assert code.framework_title(environments) == shared


def test_links_of_an_included_page_fit_the_site(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "ROOT", str(tmp_path))
    tmp_path.joinpath("GUIDE.md").write_text(
        "[method](docs/method.md#words) [schema](bench/schema.json) [out](https://example.org/a)"
    )
    assert included.page("GUIDE.md") == "[method](method.md#words) schema [out](https://example.org/a)"


def test_a_workloads_page_shows_both_intervals_of_every_pair(tmp_path):
    cases = CASES[:2]
    made = found(tmp_path, cases, campaign.noisy({"red": 0.010, "blue": 0.013}), rounds=MIN_ROUNDS)
    text = details.pairs(made, made.answers[0])
    bounds = re.findall(r"<small>([0-9.]+) to ([0-9.]+)</small>", text)
    assert len(bounds) == 2
    assert all(1.2 < float(low) < 1.3 < float(high) < 1.4 for low, high in bounds)
    assert "slower" in text
    assert "by resampling&#58;" not in text


def test_with_few_rounds_the_page_says_that_nothing_was_resampled(tmp_path):
    made = found(tmp_path, CASES[:2], campaign.noisy({"red": 0.010, "blue": 0.013}))
    assert f"fewer than {MIN_ROUNDS} rounds" in details.pairs(made, made.answers[0])


def test_a_time_without_a_steady_state_says_so(tmp_path):
    lines = campaign.lines(CASES[:1], campaign.always(0.01), rounds=3)
    lines[3].update(is_steady=False, was_doubled=True)
    (answer,) = shown.found(tmp_path, lines).answers
    text = tables.table(answer, {})
    assert "no steady state in 1 of 3 runs" in text
    row = re.findall(r"<td>(.*?)</td>", details.spread(answer))
    assert row[-5:] == ["15", "2", "1", "0", "1"]  # blocks; steady, not steady, too short, doubled


def test_the_precision_reached_is_told_by_machine(tmp_path):
    made = found(tmp_path, CASES[:2], campaign.noisy({"red": 0.010, "blue": 0.013}))
    ((name, line),) = reached(made, "test-machine")
    assert name == "precision in default modes"
    assert re.fullmatch(r"Half-widths of 99 % intervals of 1 ratio: (±[0-9.]+ %) in the median, \1 at most.", line)


def test_ratios_over_workloads_stand_beside_each_workloads_own(tmp_path):
    truth = {"red": 0.010, "blue": 0.013, "green": 0.013}
    cases = [campaign.case(name, workload=each) for name in ("red", "blue") for each in ("mnist_mlp", "linear")]
    made = found(tmp_path, [*cases, campaign.case("green")], campaign.noisy(truth))
    text = overall.section(made, made.defaults, "## Over")
    assert "By the geometric mean over 2 workloads&#58; fastest of 2&#58; Red 1.0 &#40;eager&#41;&#59; Blue 1.0" in text
    assert text.count('<th scope="row">') == 3  # the mean, then each of the two
    assert text.count("1.3") >= 3


def test_one_workload_has_no_mean_over_several(tmp_path):
    made = found(tmp_path, CASES, times)
    assert overall.section(made, made.defaults, "## Over") == ""


OTHERS = sorted(f"era({name})" for name, each in registry.environments().items() if not each.is_default)


def of_the_registry(folder, **changes):
    """What is found of a campaign that measured this repository's own environments in their documented modes."""
    known = registry.environments()
    answering = [each for each in known.values() if Path(registry.model_path(each, "mnist_mlp")).exists()]
    task = changes.get("task", "train")
    modes = {each.name: registry.modes(each, task)[0].name for each in answering}
    cases = [campaign.case(each.name, modes[each.name], layout=each.layout, **changes) for each in answering]

    lines = campaign.lines(cases, campaign.always(0.01))
    for line in lines:
        if line["kind"] == "environment":
            default = known[line["environment"]].modes[0].name
            line.update(default_mode=default, default_modes={task: modes[line["environment"]]})
    return cases, shown.found(folder, lines)


def selected(command, cases):
    """Return the sessions and the options of a command, and the cases that these select where `cases` can run."""
    given = shlex.split(command)
    arguments = options.parser().parse_args(["run", *given[given.index("--") + 1 :]])
    devices = {case["environment"]: arguments.device for case in cases}
    return given[: given.index("--")], arguments, select(main._selection(arguments, first_only=True), devices)


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
def test_the_command_below_a_table_selects_the_very_cases_of_that_table(tmp_path, changes):
    cases, made = of_the_registry(tmp_path, **changes)
    (answer,) = made.answers
    sessions, arguments, chosen = selected(reproduce.command(reproduce.of(made, answer), answer), cases)
    assert sessions == ["nox", "-s", "bench", *OTHERS]
    assert sorted(case.id for case in chosen) == sorted(Case(**case).id for case in cases)
    assert (arguments.profile, arguments.rounds, arguments.budget, arguments.threads) == ("quick", 5, 300.0, 4)


def test_the_file_is_a_link_where_the_repository_is_known(tmp_path, monkeypatch):
    hook = registry.load_module(os.path.join(registry.ROOT, "docs", "hook.py"), "docs_hook")
    made = found(tmp_path, CASES, times)
    page = str(reproduce.reproduce(made, made.answers[0]))
    for name in ("REPOSITORY_URL", "GITHUB_REPOSITORY", "GITHUB_SHA", "PUBLISHED_REVISION"):
        monkeypatch.delenv(name, raising=False)
    assert hook.on_page_content(page) == page
    monkeypatch.setenv("REPOSITORY_URL", "https://forge.example/a/b/")
    monkeypatch.setenv("PUBLISHED_REVISION", "abc")
    address = "https://forge.example/a/b/blob/abc/results/test-machine/2026-11-20%200900.jsonl"
    assert hook.on_page_content(page).count(f'<a href="{address}">') == 1


def test_the_command_of_a_row_selects_that_row_alone(tmp_path):
    cases, made = of_the_registry(tmp_path)
    (answer,) = made.answers
    for cell in answer.measured:
        command, other = reproduce.row_command(reproduce.of(made, answer), answer, cell), f"era({cell.row[0]})"
        sessions, _, (chosen,) = selected(command, cases)
        assert sessions == ["nox", "-s", other if other in OTHERS else "bench"]
        assert (chosen.environment, chosen.mode) == cell.row


def test_a_command_is_given_in_the_source_that_was_measured_below_the_file_of_the_lines(tmp_path):
    made = found(tmp_path, CASES, times)
    (answer,) = made.answers
    text = html.unescape(reproduce.reproduce(made, answer))
    assert f"git checkout {'0' * 40}\nnox -s bench" in text
    assert text.count("nox -s bench -- ") == 1 + len(answer.measured)
    assert "results/test-machine/2026-11-20 0900.jsonl" in text
    of = reproduce.of(made, answer)
    assert reproduce.checkout(of._replace(bench={**of.bench, "revision": None})) == []


def test_a_table_of_todays_environments_alone_installs_no_others(tmp_path):
    _, made = of_the_registry(tmp_path)
    known, (answer,) = registry.environments(), made.answers
    today = answer._replace(cells=[cell for cell in answer.cells if known[cell.row[0]].is_default])
    assert "nox -s bench -- " in reproduce.command(reproduce.of(made, answer), today)


def test_the_home_page_opens_with_who_is_fastest_where_and_when(tmp_path):
    truth = {"red": 0.010, "blue": 0.013, "green": 0.020}
    text = text_of(home.page(found(tmp_path, CASES, campaign.noisy(truth), rounds=8)))
    assert "Of 1 workload, 1 has a single fastest competitor: Red 1.0 (eager) in 1;" in text
    assert "Measured 2026-11-20 on test-machine: Test CPU at 3 GHz, 4 of 8 CPUs used; GPU: none." in text


def test_the_home_page_ranks_nothing_that_another_number_of_threads_measured_and_names_it(tmp_path):
    times = campaign.noisy({"red": 0.010, "blue": 0.013})
    one = campaign.lines(CASES[:2], times)
    other = [dict(case, workload="linear", optimizer="adam") for case in CASES[:2]]
    two = changed(campaign.lines(other, times, campaign="2026-11-20 1000"), "bench", threads=2)
    page = home.page(shown.found(tmp_path, one, two))
    (row,) = re.findall(
        r'<tr><th scope="row">(.*?)</th>', page.split('class="measured ranking"')[1].split("</table>")[0]
    )
    assert text_of(row) == units.workload_title("mnist_mlp")
    linear = units.workload_title("linear")
    text = text_of(page)
    assert (
        f"Measured at another batch size or number of threads alone, which no other time stands beside: {linear}."
        in text
    )
    assert "Not measured on this machine: " in text
    assert linear not in text.partition("Not measured on this machine: ")[2]


def test_what_another_number_of_threads_measured_unfolds_below_the_usual(tmp_path):
    times = campaign.noisy({"red": 0.010, "blue": 0.013})
    usual, linear = ([dict(each, **more) for each in CASES[:2]] for more in ({}, {"workload": "linear"}))
    one = campaign.lines([*usual, *linear], times)
    other = changed(campaign.lines(usual, times, campaign="2026-11-20 1000"), "bench", threads=2)
    page = workload.page(shown.found(tmp_path, one, other), "mnist_mlp")
    before, _, folded = page.partition("<summary>With another number of threads&#58; 1 question</summary>")
    assert re.findall(r"^### .*, (\d threads?)", before, re.MULTILINE) == ["4 threads"]
    assert re.findall(r"<h4>.* (\d threads?)", folded) == ["2 threads"]


def test_the_home_page_and_the_figures_of_epochs_show_each_task_s_own_default_mode(tmp_path):
    cases = [make(name, mode) for make in (campaign.case, campaign.over_data) for name in ("red", "blue")
             for mode in ("eager", "compiled")]  # fmt: skip
    lines = campaign.lines(cases, campaign.noisy({"red": 0.010, "blue": 0.013}), rounds=8)
    made = shown.found(tmp_path, campaign.documenting(lines, train="eager", epochs="compiled"))
    text = text_of(home.page(made))
    assert "Red 1.0 (eager) in 1;" in text
    assert "compiled" not in text
    over_data = [each for each in made.answers if each.question.task == "epochs"]
    for name in ("first_epoch", "mean_time", "time_by_model"):
        assert set(figures.found()[name].draw(made.results, over_data).data["mode"]) == {"compiled"}, name


MADE = {None: "", "2 graphs of the model": "compiled: 2 graphs of the model", "nothing": sentences.RAN_EAGERLY}


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("make", [campaign.case, campaign.over_data])
def test_a_row_says_what_a_compiler_made_of_it_and_plainly_where_that_is_nothing(tmp_path, make, made):
    lines = campaign.lines([make("red", "compiled"), make("red")], campaign.always(0.01))
    for line in lines:
        line.update({"compiled": made} if line.get("case", {}).get("mode") == "compiled" else {})
    found = shown.found(tmp_path, lines)
    (answer,) = found.answers
    (row,) = re.findall(r'<th scope="row">.*?compiled.*?</th>', workload._section(found, answer).split("</table>")[0])
    assert text_of(row) == f"Red 1.0 compiled {MADE[made]}".strip()
    (cell,) = (cell for cell in answer.cells if cell.row[1] == "compiled")
    assert cell.compiles == (made != "nothing")


def test_the_list_of_workloads_says_who_is_fastest_and_who_ties(tmp_path):
    truth = {"red": 0.010, "blue": 0.010, "green": 0.020}
    usual = next(iter(registry.workload("linear").OPTIMIZERS))
    cases = [*CASES, *(campaign.case(name, workload="linear", optimizer=usual) for name in ("red", "green"))]
    text = text_of(workload.index(found(tmp_path, cases, campaign.noisy(truth))))
    assert re.search(
        r"Training step, batch size 128, .+: fastest of 3: \w+ 1\.0 \(eager\) or \w+ 1\.0 \(eager\); Green", text
    )
    assert re.search(
        r"fastest of 2: Red 1\.0 \(eager\); Green .+ is at least .+; the shortest mean time is \d+\.\d+ ms\.",
        text,
    )
    assert text.count("Not measured yet.") == len(registry.workload_names()) - 2


def test_the_home_page_opens_with_the_first_figure_of_a_machine_and_has_others_where_they_are_drawn(
    tmp_path, monkeypatch
):
    made = found(tmp_path, CASES, campaign.noisy({"red": 0.010, "blue": 0.013, "green": 0.020}))
    overview = figures.found()["overview"]
    monkeypatch.setattr(figures, "found", lambda: dict.fromkeys(("overview", "another", "third"), overview))
    drawn = style.Saved("another-x", (10, 10), "It is drawn.")
    made.pictures["another", "", "test-machine"] = drawn
    page = home.page(made)
    text = text_of(page)
    assert "not drawn: ('overview', '', 'test-machine')" in text
    assert page.index("Not drawn") < page.index("figures/another-x.svg")
    assert "not drawn: ('third', '', 'test-machine')" not in text
    assert text.count("a single fastest competitor") == 1


def test_a_figure_on_a_workloads_page_opens_with_its_finding(tmp_path):
    made = found(tmp_path, CASES, times)
    saved = style.Saved("step_time-mnist_mlp-x", (10, 10), "Red wins. Then <b>more</b>")
    made = made._replace(pictures={("step_time", "mnist_mlp", "test-machine"): saved})
    module = figures.found()["step_time"]
    text = workload._picture(made, module, "step_time", "mnist_mlp", "test-machine")
    assert text.startswith(f'### {title(module.__doc__)} {{ data-search-exclude }}\n\n<p class="finding">Red wins.</p>')


def test_a_workloads_page_names_the_campaigns_that_answer_it_and_not_the_machines_newest(tmp_path):
    other = campaign.lines([campaign.case("red", workload="linear")], campaign.always(0.01), campaign="2026-11-22 0900")
    campaign.write(tmp_path, other)
    made = found(tmp_path, CASES, times)
    text = workload._machine(made, "mnist_mlp", "test-machine", 1)
    assert "measured 2026&#45;" not in text
    assert "2026-11-20, campaign 2026-11-20 0900" in text_of(text)
    assert "2026-11-22" not in text


def test_what_the_newest_campaign_left_out_keeps_its_row_with_its_day_and_is_behind_nobody(tmp_path):
    day = {"campaign": "2026-11-18 0900"}
    campaign.write(tmp_path, campaign.lines([campaign.case("blue")], campaign.always(0.01), **day))
    cases = [campaign.case("red", **about) for about in ({}, {"batch_size": 256})]
    made = found(tmp_path, cases, campaign.always(0.01))
    page = html.unescape(workload.page(made, "mnist_mlp"))
    (told,) = re.findall("<p[^>]*>(Not all were measured.*?)</p>", page)
    assert told.endswith("2026-11-18: Blue 1.0 (eager); 2026-11-20: Red 1.0 (eager).")
    assert '<th scope="row">Red' in page
    assert '<th scope="row">Blue' in page
    (answer,) = (each for each in made.answers if each.question.batch_size == 128)
    assert answer.pairs == []
    assert [(cell.rounds, cell.to_fastest) for cell in answer.cells] == [(5, None)] * 2
