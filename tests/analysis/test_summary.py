"""The summary in the terminal, and the command line that prints it."""

import subprocess
import sys

import campaign
import pytest

from analysis import inputs, units
from analysis.__main__ import main
from analysis.load.table import read_results
from analysis.text.summary import summary
from analysis.units import plain
from bench import registry

CASES = [campaign.case("red"), campaign.case("blue"), campaign.case("green")]


def told(folder, lines):
    """Return the summary of a campaign."""
    return summary(read_results(campaign.write(folder, lines)))


def test_the_summary_ranks_and_names_what_is_missing(tmp_path):
    truth = campaign.noisy({"red": 0.010, "blue": 0.013})
    times = lambda about, number: "out_of_memory" if about["environment"] == "green" else truth(about, number)  # noqa: E731
    text = told(tmp_path, campaign.lines(CASES, times, rounds=10))
    assert [line.split()[0] for line in text.splitlines() if "eager" in line and " ms" in line] == ["1", "2"]
    assert "Green 1.0, eager: out of memory: it was planted" in text


def test_one_round_is_shown_without_a_rank(tmp_path):
    text = told(tmp_path, campaign.lines(CASES, campaign.noisy({"red": 1, "blue": 1, "green": 2}), rounds=1))
    assert "1 round: no interval" in text
    assert [line.split()[0] for line in text.splitlines() if "eager" in line and " s " in line] == [units.NONE] * 3


@pytest.mark.parametrize(("rounds", "rows"), [(3, 2), (4, 0)])
def test_a_ratio_of_three_rounds_is_labelled(tmp_path, rounds, rows):
    text = told(tmp_path, campaign.lines(CASES, campaign.noisy({"red": 1, "blue": 1, "green": 2}), rounds=rounds))
    assert sum(", 3 rounds" in line for line in text.splitlines()) == rows


def test_a_reason_cannot_move_the_terminals_cursor(tmp_path):
    lines = campaign.lines(CASES[:1], campaign.always("failed"), rounds=1)
    lines[2]["reason"] = "red \x1b[31m\x07 text"
    assert "\x1b" not in told(tmp_path, lines)


def test_void_rounds_are_counted_with_the_rules_they_broke(tmp_path):
    lines = campaign.lines(CASES, campaign.always(0.01))
    assert "void rounds" not in told(tmp_path / "a", lines)
    kept = campaign.void(CASES[0], 4, rule="swap", kept="the budget is too small to repeat it")
    lines[-1:] = [campaign.void(CASES[0], 2), campaign.void(CASES[0], 2, attempt=2), kept, lines[-1]]
    assert "; void rounds: 2 repeated (other processes); 1 kept though disturbed (swap)" in told(tmp_path / "b", lines)


def test_without_results_the_summary_says_how_to_measure(tmp_path):
    assert "nox -s bench" in summary(read_results(tmp_path))


def test_the_command_prints_it(tmp_path, capsys):
    campaign.write(tmp_path, campaign.lines(CASES, campaign.always(0.01)))
    assert main(["summary", str(tmp_path)]) == 0
    assert "Red 1.0" in capsys.readouterr().out


def test_an_unknown_campaign_is_one_line_and_not_a_traceback(tmp_path, capsys):
    assert main(["summary", str(tmp_path), "--campaign", "none"]) == 2
    assert capsys.readouterr().err.startswith("error: There is no campaign 'none'")


def test_help_teaches(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "python -m analysis summary" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.001234, "0.00123"), (0.5, "0.500"), (1.234, "1.23"), (99.97, "100"), (1234.5, "1,234")],
)
def test_numbers_have_three_digits_and_no_exponent(value, text):
    assert units.digits(value) == text


def test_a_column_has_one_unit():
    assert units.common([0.000962, 0.0045], units.SECONDS).name == "ms"
    assert units.common([], units.SECONDS).name == "s"


def test_a_row_of_which_nothing_was_compiled_says_so(tmp_path):
    lines = campaign.lines([campaign.case("red", "compiled"), campaign.case("red")], campaign.always(0.01))
    for line in lines:
        line.update({"compiled": "nothing"} if line.get("case", {}).get("mode") == "compiled" else {})
    text = told(tmp_path, lines)
    assert text.count("Red 1.0, compiled: nothing was compiled: it ran eagerly") == 1
    assert text.count("it ran eagerly") == 1


def test_what_nobody_was_tried_on_is_a_line_and_no_table(tmp_path):
    left_out = [campaign.case(name, workload="imdb_gru") for name in ("red", "blue")]
    times = lambda about, _: "over_budget" if about["workload"] == "imdb_gru" else 0.01  # noqa: E731
    text = told(tmp_path, campaign.lines([*CASES, *left_out], times))
    assert text.count("documented tier") == 1
    assert "Not measured (over budget): GRU on IMDB reviews" in text


def test_a_recurrent_workload_says_how_each_framework_computes_its_layers(tmp_path):
    names = ("keras-torch", "pytorch")
    cases = [campaign.case(name, workload="imdb_gru", optimizer="adam", batch_size=64) for name in names]
    text = told(tmp_path, campaign.lines(cases, campaign.noisy({"keras-torch": 0.3, "pytorch": 0.1}), rounds=5))
    assert "Recurrent layers can explain differences. Keras 3" in text
    assert all(plain(registry.environments()[name].differs["recurrent_layers"], 1000) in text for name in names)
    assert "can explain differences" not in told(
        tmp_path / "mlp", campaign.lines(CASES, campaign.always(0.1), rounds=1)
    )


def test_a_python_without_the_packages_is_told_which_one_has_them():
    words = [sys.executable, "-S", "-m", "analysis", "summary"]  # -S: no packages
    done = subprocess.run(words, cwd=inputs.ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {sys.executable} has no package ")
    assert done.stderr.count("\n") == 1
