"""A workload's page: parity's marks, intervals, commands, figures, and what campaigns left out."""

import html
import re
import shlex

import campaign
import pytest
import shown
from page_parts import CASES, comparison, found, row, times
from shown import text_of

from analysis import figures, units
from analysis.figures import style
from analysis.plugins import title
from analysis.site.pages import details, overall, parity, reached, reproduce, tables, workload
from analysis.stats.bootstrap import MIN_ROUNDS
from analysis.text import sentences
from bench import __main__ as main
from bench import options, registry
from bench.cases import Case, select


def test_the_page_of_parity_shows_each_workload_s_largest_error_and_each_failure_once(tmp_path):
    matrix = [row("red", "blue", 5e-5), row("blue", "red", 5e-5), row("red", "green", 1.0), row("green", "red", 1.0)]
    page = parity.page(found(tmp_path, CASES, times, matrix))
    text = text_of(page)
    assert text.startswith("2 of 4 comparisons of two answers pass.")
    assert "Digits with a multilayer perceptron 2 of 4 50 % outputs" in text
    assert text.count("green and red, mnist_mlp: ") == 1
    assert "<script" not in page


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
    assert f'id="{html.escape("mnist_mlp")}"' in html.unescape(parity.page(made))


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
    assert re.fullmatch(r"99 % intervals of 1 ratio: median (±[0-9.]+ %), at most \1\.", line)


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
