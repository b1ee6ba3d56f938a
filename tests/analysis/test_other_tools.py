"""Other timing tools are counted by what they report about pairs whose true ratio is known."""

import html
import json

import pytest

from analysis.compare import peers
from analysis.found import Found
from analysis.site.pages import peers as page
from bench.errors import RecordError

MACHINE = {"name": "a-machine", "cpu": "A CPU", "logical_cpus": 2, "system": "Linux"}


def line(tool="pyperf", truth=1.03, repeat=0, ratio=1.03, **more):
    fields = {
        "tool": tool, "version": "2.0", "kind": "numpy", "truth": truth, "repeat": repeat, "is_slower_first": True,
        "budget_s": 30.0, "seconds": 20.0, "problem": "", "python": "3.12.0", "started": "2026-11-29T02:00:00Z",
        "machine": MACHINE, "ratio": ratio, "is_different": True, "times_s": [[1.0, 1.01, 1.02], [1.5, 1.51, 1.52]],
    }  # fmt: skip
    return {**fields, **more}


def measured(folder, *lines):
    path = folder / "a-machine" / "peers" / "numpy.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return peers.read_all(folder)


def row(folder, *lines):
    return measured(folder, *lines)[0].rows[0]


def test_a_reported_difference_between_twins_is_a_false_alarm(tmp_path):
    share = row(tmp_path, line(truth=1.0, ratio=0.97), line(truth=1.0, repeat=1, is_different=False)).own[1.0]
    assert (share.reported, share.of) == (1, 2)
    assert share.low < 0.5 < share.high


def test_a_difference_in_the_wrong_direction_is_not_found(tmp_path):
    assert row(tmp_path, line(ratio=0.97)).own[1.03].reported == 0


def test_all_tools_are_also_judged_by_the_same_test(tmp_path):
    same = [[1.0, 1.01, 1.02], [1.0, 1.01, 1.02]]
    assert row(tmp_path, line(), line(repeat=1, times_s=same)).shared[1.03].reported == 1


def test_a_failed_measurement_is_counted_as_failed_only(tmp_path):
    failed = line(repeat=1, problem="it broke")
    del failed["ratio"]
    found = row(tmp_path, line(), failed)
    assert (found.failed, found.own[1.03].of) == (1, 1)


def test_the_error_of_the_ratio_is_relative_to_the_true_one(tmp_path):
    assert row(tmp_path, line(truth=2.0, ratio=2.2)).error == pytest.approx(0.1)


@pytest.mark.parametrize("change", [{"ratio": -1}, {"seconds": "long"}, {"unknown": 1}])
def test_a_wrong_line_is_refused_with_its_number(change, tmp_path):
    with pytest.raises(RecordError, match="line 2"):
        measured(tmp_path, line(), line(**change))


def test_without_results_the_page_says_that_nothing_is_claimed():
    assert "nothing is claimed" in page.page(Found(None, [], [], []))


def test_text_of_a_file_is_escaped_on_the_page(tmp_path):
    found = Found(type("Results", (), {"shown": []})(), [], [], [], peers=measured(tmp_path, line(tool="<script>")))
    text = page.page(found)
    assert "<script>" not in text
    assert "finds 3 %" in html.unescape(text)


def test_the_page_says_which_tool_is_best_at_what(tmp_path):
    lines = [line(tool, truth, ratio=truth * error, seconds=seconds, is_different=truth > 1 or tool == "pyperf")
             for tool, error, seconds in (("versus", 1.002, 12.0), ("pyperf", 1.004, 40.0), ("asv", 1.001, 30.0))
             for truth in (1.0, 1.03)]  # fmt: skip
    said = page.best(measured(tmp_path, *lines)[0].rows)
    assert said == (
        "asv has the smallest error, 0.1 % in 30 s. versus is done first, after 12 s. No false alarm by their own "
        "rules: versus and asv."
    )


def test_a_tool_that_never_measured_is_best_at_nothing(tmp_path):
    failed = line(problem="it broke")
    del failed["ratio"]
    assert page.best(measured(tmp_path, failed)[0].rows) == ""
