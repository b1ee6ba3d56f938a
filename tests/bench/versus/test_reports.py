"""What a report shows, and what it never shows: folders, host and user names."""

import contextlib
import json
import re

import pytest

from bench import __main__ as command_line
from bench.driver import lock
from bench.versus import causes, comparison, report, verb
from bench.versus.measuring import Measured

SOURCE = """# run in /srv/jane/work/x.py
data = open("/srv/jane/secret/data.csv")
other = "~/models/weights.pt"
far = "https://host/x"
"""


@pytest.fixture(autouse=True)
def names(monkeypatch):
    monkeypatch.setattr(comparison.getpass, "getuser", lambda: "jane")
    monkeypatch.setattr(comparison.socket, "gethostname", lambda: "janes-laptop")


def reply(step_s, **fields):
    return {
        "block_s": [step_s] * 6, "block_cpu_s": [step_s] * 6, "steps_per_block": 1, "examples_per_step": None,
        "first_step_s": 2.0, "start_s": 3.0, "peak_bytes": 10**9, "peak_device_bytes": None,
        "resident_bytes": [10**6] * 6, "losses": [1.0],
        "python": "3.11.2", "unit": "step", "threads": 4, "waits": ["torch.cuda.synchronize"], **fields,
    }  # fmt: skip


@pytest.fixture
def found(program):
    def make(times=((3.0, 1.0),) * 3, note="", **fields):
        choices = [program(SOURCE), program(SOURCE, "b", settings={"NAME": "jane"})]
        rounds = [[reply(time_s, **fields) for time_s in pair] for pair in times]
        empty = [{"problems": ["x: cannot read /srv/jane on janes-laptop"]}, {}]
        return comparison.document(choices, Measured(rounds, empty, [{}, {}], 60.0, 20.0, note))

    return make


def test_nothing_personal_is_in_any_report(found):
    made = found()
    for text in (report.markdown(made), report.page(made), json.dumps(made), "\n".join(report.terminal(made))):
        assert [word for word in ("jane", "/srv", "secret") if word in text] == []


def test_paths_of_quoted_programs_are_redacted_with_a_notice(found):
    text = report.markdown(found())
    assert 'open("<path>/data.csv")' in text
    assert 'other = "<path>/weights.pt"' in text
    assert "https://host/x" in text
    assert "a: a.py, paths are redacted" in text


def test_the_ratio_has_its_interval_and_its_rounds(found):
    text = "\n".join(report.terminal(found(((3.0, 1.0), (3.1, 1.0), (2.9, 1.0)))))
    assert re.search(r"a takes 3 times as long as b \(99 % interval 2\.\d+ to 3\.\d+, 3 rounds\)\.", text)


def test_a_tie_is_called_a_tie(found):
    text = "\n".join(report.terminal(found(((1.0, 1.0),) * 3)))
    assert "b and a tie: ratio 1.000 (99 % interval 1.000 to 1.000, 3 rounds)." in text


def test_an_open_pair_says_what_would_decide_it(found):
    text = "\n".join(report.terminal(found(((1.05, 1.0), (1.0, 1.0), (1.1, 1.0)))))
    assert re.search(r"Not yet decided: \d+ more rounds, about \d+ s, would probably decide \(--budget \d+0s\)", text)
    few = "\n".join(report.terminal(found(((1.05, 1.0),), note="give --budget 90s.")))
    assert "Not yet decided: give --budget 90s." in few


def test_growing_memory_is_reported_per_step(found):
    growing = found(resident_bytes=[10**8 + number * 2 * 10**6 for number in range(20)])
    assert "a: memory grows by 1 MB per step." in report.terminal(growing)


def test_times_per_example_are_shown_if_all_programs_state_their_examples(found):
    assert "3 s per step, 750 ms per example" in report.markdown(found(examples_per_step=4))
    assert "per example" not in report.markdown(found())


def test_a_headline_is_said_once(found):
    made = found()
    assert report.markdown(made).count(report.headline(made["pairs"][0])) == 1


def test_a_lesson_has_its_address_if_the_site_has_one(monkeypatch):
    cause = causes.Cause("p", "It is slow.", "jit-for-jax", "a", None, False, False, 0.5)
    assert comparison._lesson(cause) == "jit-for-jax (on the site's page Lessons)."
    monkeypatch.setenv("SITE_URL", "https://bench.example/")
    assert comparison._lesson(cause) == "https://bench.example/lessons/#jit-for-jax"


def test_a_page_escapes_what_it_quotes(program):
    choices = [program("x = '<script>'", letter) for letter in "ab"]
    rounds = [[reply(1.0), reply(1.0)]]
    page = report.page(comparison.document(choices, Measured(rounds, [{}, {}], [{}, {}], 1.0, 1.0, "")))
    assert "<script>" not in page


def test_the_command_measures_and_writes_its_reports(program, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("BENCH_NODE", str(tmp_path))
    monkeypatch.setattr(lock.registry, "STATE", str(tmp_path / "state"))
    source = "def step(): return float(sum(range({})))\ndef outputs(): return [1.0]"
    for letter, count in (("a", 20000), ("b", 60000)):
        program(source.format(count), letter)
    words = ["versus", "a.py", "b.py", f"--folder={tmp_path}", "--budget=40s", "--report=out.md", "--html=out.html"]
    assert command_line.main([*words, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["pairs"][0]["one"] == "b"
    assert printed["pairs"][0]["value"] > 1.5
    assert printed["pairs"][0]["work"]["verdict"] == "different"  # by their losses, though outputs agree
    assert "takes" in (tmp_path / "out.md").read_text()
    assert "<table>" in (tmp_path / "out.html").read_text()


def test_a_busy_machine_is_told_and_an_idle_one_is_not(monkeypatch, capsys):
    monkeypatch.setattr(verb.machine, "cores", lambda: 4)
    monkeypatch.setattr(verb, "_used_cores", lambda: 1.9)
    assert verb._warn_if_busy() == ""
    monkeypatch.setattr(verb, "_used_cores", lambda: 3.2)
    assert verb._warn_if_busy() == "Other programs used 3.2 of this machine's 4 cores at the beginning."
    assert "Better end them first" in capsys.readouterr().err


def test_an_interrupt_ends_all_processes(program, tmp_path, monkeypatch, capsys):
    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("bench.versus.measuring.measure", interrupt)
    program()
    program(letter="b")
    monkeypatch.setattr(lock, "alone", lambda **_: contextlib.nullcontext())
    assert command_line.main(["versus", "a.py", "b.py", f"--folder={tmp_path}"]) == 130
    assert "Interrupted" in capsys.readouterr().err


def test_what_both_programs_do_is_listed_once_and_apart():
    def cause(side, evidence, *, is_on_both):
        finding = {"evidence": evidence, "remedy": "Jit it.", "cost_s": None}
        return {"probe": "eager" + "x" * (not is_on_both), "cause": "It is eager.", "lesson": "", "side": side,
                "is_on_both": is_on_both, "finding": finding}  # fmt: skip

    causes = [cause("a", "5 loops.", is_on_both=False), cause("a", "1 op.", is_on_both=True),
              cause("b", "2 ops.", is_on_both=True)]  # fmt: skip
    lines = list(report._causes({"causes": causes, "word": "different", "has_looks": True}))
    assert lines == [
        "Likely causes:", "  1. a: It is eager. 5 loops. Jit it.",
        "Both programs:", "  - It is eager. a: 1 op. b: 2 ops. Jit it.",
    ]  # fmt: skip


def test_a_report_says_that_causes_were_not_looked_for(found):
    assert "Causes were not looked for." in report.terminal(found())
