"""Releases measured side by side: the list, the rows made from it, and the releases in which a time changed."""

import csv
import html
import io
import re

import campaign
import pytest

from analysis import data, series
from analysis.compare import history
from analysis.compare.unpaired import Compared
from analysis.data.schema import text
from analysis.figures import history as figure
from analysis.found import Found
from analysis.series import Release, Series
from analysis.site import feed
from analysis.site.pages import releases as page
from bench import registry
from bench.errors import DefinitionError
from tasks import copies
from tasks import versions as session

MONTHS = {"1.0": "2024-02", "2.0": "2024-10", "2.5": "2025-01", "3.0": "2025-10"}
ROWS = {name: registry.environment("keras-jax")._replace(name=name, title=f"Red {name}", released=month)
        for name, month in MONTHS.items()}  # fmt: skip
BASE = registry.environment("keras-jax")
RED = Series("red", "Red on Jax", "red", ("#d55e00", "o"), [Release(name, row, BASE) for name, row in ROWS.items()])


def measured(folder, times, monkeypatch):
    """Return the tracks of a campaign in which each release took its planted time, in seconds."""
    cases = [campaign.case(name) for name in times]
    truth = {name: time for name, time in times.items() if not isinstance(time, str)}
    noisy = campaign.noisy(truth, 0.002)
    made = campaign.lines(cases, lambda about, number: noisy(about, number) if about["environment"] in truth
                          else times[about["environment"]])  # fmt: skip
    campaign.write(folder / "versions", campaign.in_turns(campaign.documenting(made, train="eager")))
    monkeypatch.setattr(series, "read", lambda: {"red": RED})
    return history.read(folder)


def found(tracks):
    results = type("Results", (), {"shown": [], "machines": []})()
    return Found(results, [], [], [], compared=Compared(), history=tracks)


def test_the_release_in_which_a_time_changed_is_named_with_its_ratio(tmp_path, monkeypatch):
    (change,) = history.changes(measured(tmp_path, {"1.0": 0.01, "2.0": 0.012, "3.0": 0.012}, monkeypatch))
    assert (change.older.version, change.newer.version) == ("1.0", "2.0")
    assert change.ratio.low < 1.2 < change.ratio.high


def test_equal_releases_are_no_change(tmp_path, monkeypatch):
    assert not history.changes(measured(tmp_path, {"1.0": 0.01, "2.0": 0.01, "3.0": 0.01}, monkeypatch))


def test_a_release_without_a_time_is_skipped_and_its_reason_is_shown(tmp_path, monkeypatch):
    tracks = measured(tmp_path, {"1.0": 0.01, "2.0": "failed", "3.0": 0.013}, monkeypatch)
    (change,) = history.changes(tracks)
    assert (change.older.version, change.newer.version) == ("1.0", "3.0")
    assert "Not measured: Red 2.0: failed: it was planted" in history.text(tracks)
    assert "<td>failed</td>" in html.unescape(page.page(found(tracks)))


def test_the_page_lists_the_releases_that_changed_a_time_the_newest_first(tmp_path, monkeypatch):
    times = {"1.0": 0.04, "2.0": 0.02, "2.5": 0.02, "3.0": 0.01}
    shown = html.unescape(page.page(found(measured(tmp_path, times, monkeypatch))))
    assert shown.index(">3.0, 2025-10<") < shown.index(">2.0, 2024-10<")
    assert not {">1.0,", ">2.5,"} & {*re.findall(r">\d\.\d,", shown)}
    assert shown.count("2.0x faster") == 2
    assert "<td>10.0 ms</td>" in shown
    assert 'id="red"' in shown


def test_without_results_the_page_says_which_command_measures():
    assert "nox -s versions" in page.page(found([]))


def test_the_table_of_data_has_a_row_for_each_release(tmp_path, monkeypatch):
    tracks = measured(tmp_path, {"1.0": 0.02, "2.0": 0.01, "3.0": "failed"}, monkeypatch)
    table = next(each for each in data.TABLES if each.name == "history.csv")
    rows = list(csv.DictReader(io.StringIO(text(table, found(tracks)))))
    assert [(row["version"], row["is_changed"]) for row in rows] == [
        ("1.0", "false"),
        ("2.0", "true"),
        ("3.0", "false"),
    ]
    assert float(rows[1]["ratio"]) == pytest.approx(0.5, rel=0.02)
    assert "it was planted" in rows[2]["reason"]


def test_the_figure_draws_every_release_and_counts_the_changes(tmp_path, monkeypatch):
    tracks = measured(tmp_path, {"1.0": 0.02, "2.0": 0.01, "3.0": 0.01}, monkeypatch)
    (drawn,) = (figure.draw(*wanted) for wanted in figure.wanted(found(tracks)).values())
    assert list(drawn.data["version"]) == ["1.0", "2.0", "3.0"]
    assert "1 significant change" in drawn.alt


def test_releases_years_apart_have_panels_of_their_own(tmp_path, monkeypatch):
    tracks = measured(tmp_path, {"1.0": 0.02, "2.0": 0.01, "3.0": 0.01}, monkeypatch)
    (title, (line,)) = next(iter(figure.wanted(found(tracks)).values()))
    old = line._replace(marks=[line.marks[0]._replace(year=2017.9), *line.marks[1:]])
    assert len(figure.draw(title, [old]).figure.axes) == 2
    assert len(figure.draw(title, [line]).figure.axes) == 1


def test_the_feed_has_an_entry_for_a_series_that_changed(tmp_path, monkeypatch):
    tracks = measured(tmp_path, {"1.0": 0.01, "2.0": 0.02, "3.0": 0.02}, monkeypatch)
    (entry,) = feed.changed_releases(tracks, {"test-machine": "Test CPU"})
    assert entry.title == "Red on Jax on Test CPU: 1 significant change between releases"
    assert entry.page.endswith("releases/#red")
    assert "2.0x slower" in entry.lines[0]


def test_every_listed_release_is_a_row_that_the_registry_reads(tmp_path):
    for own in series.read().values():
        rows = [(release.base, release.row, release.patch) for release in own.releases]
        known = registry.environments(str(copies.write_rows(rows, tmp_path / own.name)))
        for release in own.releases:
            row = known[release.row.name]
            assert (row.title, row.packages, row.cpu) == (release.row.title, release.row.packages, release.row.cpu)
            assert row.variables == release.base.variables


def test_releases_pin_their_version_and_are_ordered_by_date():
    for own in series.read().values():
        months = [release.row.released for release in own.releases]
        assert months == sorted(months)
        assert all(any(f"=={release.version}" in pin for pin in (*release.row.packages, *release.row.cpu))
                   for release in own.releases if release.is_listed)  # fmt: skip


def test_a_text_that_the_adapter_does_not_have_cannot_be_replaced(tmp_path):
    row = BASE._replace(name="other")
    with pytest.raises(DefinitionError, match="has no 'nowhere'"):
        copies.write_rows([(BASE, row, {"nowhere": "anywhere"})], tmp_path)


@pytest.mark.parametrize(("written", "problem"), [
    ('[series.a]\ntitle = "A"\npackage = "keras"', "like is missing"),
    ('[series.a]\ntitle = "A"\npackage = "keras"\nlike = "nobody"', "no environment 'nobody'"),
    ('[series.a]\ntitle = "A"\npackage = "pandas"\nlike = "some"', "pins no pandas"),
])  # fmt: skip
def test_a_wrong_list_is_refused_with_what_is_wrong(written, problem, tmp_path):
    folder = tmp_path / "some"
    copies.write_rows([(BASE, BASE, {})], tmp_path)
    (tmp_path / "keras").rename(folder)
    text = (folder / "framework.toml").read_text(encoding="utf-8").replace('"keras-jax"', '"some"')
    (folder / "framework.toml").write_text(text, encoding="utf-8")
    (folder / series.FILE).write_text(written, encoding="utf-8")
    with pytest.raises(DefinitionError, match=problem):
        series.read(str(tmp_path))


def test_a_series_is_complete_if_a_campaign_of_its_rows_has_ended(tmp_path):
    made = campaign.lines([campaign.case("1.0"), campaign.case("2.0")], campaign.always(0.01))
    assert session.measured_on(RED, campaign.write(tmp_path / "whole", made)) == "2026-11-20"
    assert session.measured_on(RED, campaign.write(tmp_path / "cut", made[:-1])) == ""


def test_answers_of_releases_are_kept_with_the_results(tmp_path):
    answers = tmp_path / "answers"
    (answers / "1.0").mkdir(parents=True)
    (answers / "1.0" / "mnist_mlp.rmsprop.eager.npz").write_bytes(b"an answer")
    (answers / "keras-jax").mkdir()
    session.publish(RED.releases, answers, tmp_path / "published")
    assert [path.name for path in (tmp_path / "published").iterdir()] == ["1.0"]
