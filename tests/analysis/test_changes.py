"""Changes: what each campaign brought against those before it on its machine, and whose place it takes."""

import re

import campaign
import pytest
from shown import PAYLOAD, changed, found, text_of

from analysis.compare import changes
from analysis.site.pages import machines

FIRST, SECOND, THIRD = (f"2026-11-{day} 0900" for day in (18, 19, 20))
RED, BLUE = campaign.case("red"), campaign.case("blue")
LINEAR = campaign.case("red", workload="linear")


def lines(cases, name, times=None, **about):
    return campaign.lines(cases, times or campaign.always(0.01), campaign=name, **about)


def of(folder, *campaigns):
    return changes.changes(found(folder, *campaigns).results)


def words_of(folder, *campaigns):
    return text_of(machines.changes_page(found(folder, *campaigns)))


def test_the_newest_campaign_comes_first(tmp_path):
    made = of(tmp_path, lines([RED], SECOND), lines([RED], FIRST), lines([RED], THIRD, machine="other"))
    assert [each.campaign.name for each in made] == [THIRD, SECOND, FIRST]


def test_what_is_new_is_new_on_its_machine(tmp_path):
    made = of(tmp_path, lines([RED], FIRST), lines([RED, BLUE, LINEAR], SECOND), lines([RED], THIRD, machine="other"))
    other, second, first = made
    assert (first.workloads, first.environments) == (["mnist_mlp"], ["Red 1.0"])
    assert (second.workloads, second.environments) == (["linear"], ["Blue 1.0"])
    assert (other.workloads, other.environments) == (["mnist_mlp"], ["Red 1.0"])


AGAIN = lines([RED], SECOND)


@pytest.mark.parametrize(("newer", "added", "stand"), [(AGAIN, 1, 2), (campaign.remade(AGAIN), 0, 1)])
def test_rounds_of_the_same_code_and_versions_are_added_and_other_code_starts_afresh(tmp_path, newer, added, stand):
    second, first = of(tmp_path, lines([RED, LINEAR], FIRST), newer)
    assert (second.added, second.afresh, second.shown) == (added, 1 - added, 1)
    assert (first.cells, first.shown) == (2, stand)  # what is not current is history


def test_what_gave_no_time_again_keeps_the_older_one_and_what_was_not_asked_again_is_nothing_to_tell(tmp_path):
    gone = lambda about, _: "failed" if about["environment"] == "blue" else 0.01  # noqa: E731
    for newer, kept in ((lines([RED, BLUE], SECOND, gone), {"failed": 1}), (AGAIN, {})):
        second, first = of(tmp_path / str(len(kept)), lines([RED, BLUE], FIRST), newer)
        assert (second.kept, first.kept, first.shown) == (kept, {}, 2)


def test_a_version_that_changed_is_told_against_when_it_was_loaded_last(tmp_path):
    newer = changed(lines([RED], THIRD), "environment", loaded={"red": "2.0.0"}, title="Red 2.0")
    third, second, _ = of(tmp_path, lines([RED], FIRST), lines([BLUE], SECOND), newer)
    assert second.versions == []
    assert third.versions == [("Red 2.0", "red", "1.0.0", "2.0.0")]


def test_a_system_or_a_processor_that_changed_below_one_name_is_told_as_the_machines(tmp_path):
    first, other = lines([RED], FIRST), lines([RED], SECOND)
    first[0]["machine"]["instructions"] = "avx2, avx512f"
    other[0]["machine"].update(system="Linux 6.2", instructions="avx2")
    second, _ = of(tmp_path, first, other)
    assert second.versions == [
        ("machine", "instructions", "avx2, avx512f", "avx2"),
        ("machine", "system", "Linux 6.1", "Linux 6.2"),
    ]


def test_code_that_changed_is_told_by_environment(tmp_path):
    second, first = of(tmp_path, lines([RED], FIRST), changed(lines([RED, LINEAR], SECOND), "run", code="1" * 16))
    assert second.code == {"red": ["mnist_mlp"]}  # the other has no earlier code
    assert first.code == {}


def test_an_unpublished_campaign_changes_nothing(tmp_path):
    made = of(tmp_path, lines([RED], FIRST), lines([RED], SECOND, profile="smoke"), lines([RED], THIRD)[:-1])
    assert [each.campaign.name for each in made] == [FIRST]


def test_the_page_says_what_each_brought_and_claims_nothing_about_speed(tmp_path):
    again = campaign.remade(lines([RED, BLUE], SECOND, campaign.always(0.02)))
    text = words_of(tmp_path, lines([RED, LINEAR], FIRST), again)
    assert text.startswith("2 campaigns on 1 machine, from 2026-11-18, 09:00 UTC to 2026-11-19, 09:00 UTC.")
    assert "2 1 environment new code, versions or timing in 1 cell" in text
    assert "2, 1 of them replaced since 2 workloads and 1 environment first campaign" in text
    assert not {"faster", "slower"} & set(re.findall(r"\w+", text))


def test_rounds_that_are_added_are_named_and_older_campaigns_are_in_the_data(tmp_path):
    many = [lines([RED], f"2026-11-{day} 0900") for day in range(10, 22)]
    text = words_of(tmp_path, *many)
    assert text.count("rounds added to 1 cell") == machines.NEWEST
    assert "2026-11-21" in text
    assert "2026-11-11, 09" not in text
    assert "campaigns.csv" in text


def test_hostile_text_reaches_the_page_only_escaped(tmp_path):
    newer = changed(lines([RED], SECOND), "environment", loaded={"red": PAYLOAD})
    text = machines.changes_page(found(tmp_path, lines([RED], FIRST), newer))
    assert "<script" not in text
