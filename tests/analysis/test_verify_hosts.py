"""Files of several hosts are compared: a slow host is found, alike hosts pass, and a wrong file is explained."""

import json

import campaign
import numpy as np
import pytest
from verified import CASES, found, lines, published

from analysis.__main__ import main
from analysis.verify import hosts, report
from analysis.verify.bands import HOSTS

SLOW, ALIKE = 1.35, 1.0


def written(folder, **hosts_lines):
    """Write the file of each host; returns their paths."""
    paths = [folder / f"{name}.json" for name in hosts_lines]
    for path, own in zip(paths, hosts_lines.values(), strict=True):
        path.write_text(report.as_json(found(own)), encoding="utf-8")
    return paths


def compared(folder, **hosts_lines):
    return hosts.compare(hosts.read(written(folder, **hosts_lines)))


def fleet(factors, cases=CASES, **changes):
    """Return the campaigns of hosts a, b, c ... of one kind."""
    return {name: lines(cases, factor, seed=seed, **changes)
            for seed, (name, factor) in enumerate(zip("abcdefgh", factors, strict=False))}  # fmt: skip


def last_line(comparison):
    return hosts.text(comparison).splitlines()[-1]


def test_a_slow_host_is_found_in_every_row_and_the_whole_comes_first(tmp_path):
    comparison = compared(tmp_path, **fleet([1, 1, SLOW, 1]))
    assert (list(comparison.outliers), comparison.exit_code) == (["c"], 1)
    assert comparison.outliers["c"][0].startswith("all of them slower by ")
    for row, places in comparison.rows:
        assert places["c"].is_outlier, row.label
        assert places["c"].ratio == pytest.approx(SLOW, rel=0.12)
    assert last_line(comparison) == "Not alike: c of 4 hosts."


def test_nodes_with_numbers_are_named_by_them_and_not_by_their_files(tmp_path):
    measured = fleet([1, 1, SLOW, 1])
    for number, own in zip((3, 1, 4, 2), measured.values(), strict=True):
        own[0]["node"] = number
    assert list(compared(tmp_path, **measured).outliers) == ["node 4"]
    measured["a"][0]["node"] = 4
    assert list(compared(tmp_path, **measured).outliers) == ["c"]
    del measured["a"][0]["node"]
    assert list(compared(tmp_path, **measured).outliers) == ["c"]


def test_hosts_that_are_alike_pass_although_rounds_scatter(tmp_path):
    comparison = compared(tmp_path, **fleet([1, 1.01, 0.99, 1, 1.02]))
    assert (comparison.outliers, comparison.exit_code) == ({}, 0)
    assert last_line(comparison).startswith("Alike: 5 hosts, ratios 0.")


def test_one_comparison_in_a_hundred_names_an_outlier_among_hosts_that_are_alike():
    random = np.random.default_rng(7)
    wrong = 0
    for _ in range(200):
        label = ("mnist_mlp", "Red", "eager")
        times = {f"host {number}": dict(enumerate(np.exp(random.normal(0, 0.1, 4)))) for number in range(4)}
        wrong += any(place.is_outlier for place in hosts._places(hosts.Row(label, times), 1 - 0.01 / 4).values())
    assert wrong <= 7  # of 200 at one in a hundred: more comes by chance in one case of a thousand


@pytest.mark.parametrize(("factor", "is_outlier"), [(0.99 * HOSTS, False), (1.03 * HOSTS, True), (0.9, True)])
def test_without_noise_the_limit_is_what_hosts_of_one_kind_differ_by(tmp_path, factor, is_outlier):
    steady = {name: campaign.lines(CASES, campaign.always(0.01 * (factor if name == "b" else 1)))
              for name in "abc"}  # fmt: skip
    assert list(compared(tmp_path, **steady).outliers) == ["b"] * is_outlier


def test_hosts_that_all_differ_widen_the_limit_up_to_ten_percent():
    def places(*factors):
        times = {name: dict.fromkeys(range(3), factor) for name, factor in zip("abcdef", factors, strict=False)}
        return hosts._places(hosts.Row(("w", "e", "s"), times), 0.99)

    scattered = places(0.97, 0.985, 1.0, 1.015, 1.08)
    assert scattered["a"].limit == pytest.approx(0.985 ** (-3 * 1.4826), rel=0.005)
    halves = places(1.0, 1.0, 1.5, 1.5)
    assert all(place.is_outlier for place in halves.values()), "two slow hosts of four are not an accepted spread"


def test_with_two_hosts_ratios_are_to_the_faster_one(tmp_path):
    comparison = compared(tmp_path, **fleet([SLOW, 1]))
    assert list(comparison.outliers) == ["a"]
    assert compared(tmp_path, **fleet([1, 1])).exit_code == 0


def test_a_host_without_a_workload_is_compared_in_the_others_and_the_case_is_named(tmp_path):
    few = [case for case in CASES if case["workload"] == "mnist_mlp"]
    comparison = compared(tmp_path, **fleet([1, 1, SLOW]), d=lines(few, seed=9))
    assert list(comparison.outliers) == ["c"]
    missing = [f"imdb_gru, {name} 1.0, eager b128 rmsprop" for name in ("Red", "Blue")]
    assert comparison.left_out == {"d: its file has no such case": missing}
    assert ["d" in places for _, places in comparison.rows].count(True) == 2, "not in a mean that it lacks a case of"


def test_a_case_that_failed_keeps_its_reason(tmp_path):
    times = lambda about, _: "out_of_memory" if about == CASES[0] else 0.01  # noqa: E731
    comparison = compared(tmp_path, **fleet([1, 1, 1]), d=campaign.lines(CASES, times))
    assert list(comparison.left_out) == ["d: not measured: out of memory: it was planted"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"cpu": "Another CPU"}, "hardware: Another CPU with 8 CPUs, elsewhere Test CPU at 3 GHz with 8 CPUs"),
        ({"threads": 1}, "threads: 1, elsewhere 4"),
        ({"rounds": 2}, "2 rounds with a time; a comparison needs 3"),
    ],
)
def test_a_host_of_another_kind_is_no_outlier_and_leaves_no_answer(tmp_path, change, why):
    comparison = compared(tmp_path, **fleet([1, 1]), other=lines(factor=3, **change))
    assert (comparison.outliers, comparison.exit_code) == ({}, 2)
    assert list(comparison.left_out) == [f"other: {why}"]
    assert last_line(comparison) == "No answer: nothing of other can be compared."


def test_another_version_of_one_environment_is_left_out_of_its_rows(tmp_path):
    own = lines(seed=5)
    own[1] = {**own[1], "loaded": {"blue": "0.9.0"}}
    comparison = compared(tmp_path, **fleet([1, 1]), other=own)
    assert comparison.exit_code == 0
    assert list(comparison.left_out) == ["other: versions: blue 0.9.0, elsewhere blue 1.0.0"]


def test_the_command_writes_the_files_and_compares_them(tmp_path, capsys):
    publication = campaign.write(tmp_path / "published", published())
    for name, own in fleet([1, SLOW, 1]).items():
        main(["verify", str(campaign.write(tmp_path / name, own)), "--published", str(publication), "--json"])
        (tmp_path / f"{name}.json").write_text(capsys.readouterr().out)
    files = [str(tmp_path / f"{name}.json") for name in "abc"]
    assert main(["verify", "--compare", *files]) == 1
    table, told = capsys.readouterr().out.split("\n\n")
    assert table.splitlines()[0].split() == ["workload", "environment", "setting", "a", "b", "c", "limit"]
    assert table.count("*") == 7, "four cases, two environments and the whole"
    assert "Outlier: b. all of them slower by 3" in told
    assert main(["verify", "--compare", files[0], files[2]]) == 0


def test_hosts_with_files_of_one_name_are_named_by_their_paths(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
    paths = [written(tmp_path / name, verify=lines())[0] for name in "ab"]
    assert list(hosts.read(paths)) == [str(path) for path in paths]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "No such file"),
        ("as fast as published", "JSON is malformed"),
        ('{"cases": [{"case": {}}]}', "missing required field `label`"),
        ('{"answer": "As fast as published."}', "missing required field `cases`"),
    ],
)
def test_a_wrong_file_is_named_with_what_was_expected_and_the_command_that_writes_it(tmp_path, capsys, content, why):
    right, wrong = *written(tmp_path, right=lines()), tmp_path / "wrong.json"
    if content:
        wrong.write_text(content)
    assert main(["verify", "--compare", str(right), str(wrong)]) == 2
    message = capsys.readouterr().err
    assert f"{wrong}: expected the JSON of a verification with the times of each round, but" in message
    assert why in message
    assert "nox -s verify -- --json > HOST.json" in message


@pytest.mark.parametrize("time", ["-1", "0", "1e999", "NaN", '"1"'])
def test_a_time_that_is_no_positive_number_is_refused(tmp_path, capsys, time):
    right, wrong = written(tmp_path, right=lines(), wrong=lines(seed=2))
    made = json.loads(wrong.read_text())
    made["cases"][0]["round_s"]["1"] = "TIME"
    wrong.write_text(json.dumps(made).replace('"TIME"', time))
    assert main(["verify", "--compare", str(right), str(wrong)]) == 2
    assert "wrong.json: expected" in capsys.readouterr().err


def test_one_file_is_not_a_comparison(tmp_path, capsys):
    (path,) = written(tmp_path, a=lines())
    assert main(["verify", "--compare", str(path)]) == 2
    assert "needs the files of two hosts or more" in capsys.readouterr().err


def test_a_file_cannot_move_the_terminals_cursor(tmp_path):
    own = fleet([1, 1, SLOW])
    for each in own["a"][1:3]:
        each["title"] = "Red \x1b[31m"
    assert "\x1b" not in hosts.text(compared(tmp_path, **own))


@pytest.mark.parametrize(
    ("yours", "theirs", "message", "color"),
    [
        (lines(), [published()], "as published", "brightgreen"),
        (lines(factor=1.5), [published()], "slower by 5", "red"),
        (lines(), [], "no reference", "lightgrey"),
        (lines(rounds=2), [published()], "not measured", "lightgrey"),
    ],
)
def test_the_badge_is_an_endpoint_of_shields_io(yours, theirs, message, color):
    badge = json.loads(report.as_json(found(yours, *theirs)))["badge"]
    assert list(badge) == ["schemaVersion", "label", "message", "color"]
    assert (badge["schemaVersion"], badge["label"], badge["color"]) == (1, "Rosetta Bench", color)
    assert badge["message"].startswith(message)
