"""With several machines the home page opens with who may be the fastest on each, and whether they agree."""

import campaign
import shown

from analysis.site.pages import agreement, home

CASES = [
    campaign.case(name, workload=workload, optimizer=optimizer)
    for workload, optimizer in (("mnist_mlp", "rmsprop"), ("linear", "adam"))
    for name in ("red", "blue")
]


def lines(machine, slower, cases=CASES, rounds=8):
    """Return a campaign in which `slower` names the environment that each workload's takes twice as long in."""
    noise = campaign.noisy({"red": 0.01, "blue": 0.01})

    def times(about, number):
        return noise(about, number) * (2 if slower[about["workload"]] == about["environment"] else 1)

    return campaign.lines(cases, times, rounds, machine=machine)


def text_of(folder, *campaigns):
    return shown.text_of(agreement.section(shown.found(folder, *campaigns)))


def test_who_is_the_fastest_on_each_machine_is_told_and_where_it_depends_on_the_machine(tmp_path):
    one = lines("one", {"mnist_mlp": "blue", "linear": "blue"})
    two = lines("two", {"mnist_mlp": "blue", "linear": "red"})
    text = text_of(tmp_path, one, two)
    assert "Of 2 networks that several machines ranked, 1 has one that may be the fastest on each: Red 1.0 in 1" in text
    assert "; in 1 it depends on the machine." in text
    mlp, linear = text.partition("Digits with a multilayer perceptron")[2].split("A thousand vectors")
    assert mlp.count("Red 1.0") == 3, "on both machines, and in the column of those that may be so on each"
    assert (linear.count("Red 1.0"), linear.count("Blue 1.0")) == (1, 1)
    assert home.page(shown.found(tmp_path)).startswith(f"\n## {agreement.TITLE}")


def test_where_all_agree_nothing_depends_on_the_machine(tmp_path):
    slower = {"mnist_mlp": "blue", "linear": "red"}
    text = text_of(tmp_path, lines("one", slower), lines("two", slower))
    assert "2 have one that may be the fastest on each: Red 1.0 in 1 and Blue 1.0 in 1." in text


def test_only_answers_by_the_same_competitors_that_have_a_ranking_are_told_of(tmp_path):
    slower = {"mnist_mlp": "blue", "linear": "red"}
    assert text_of(tmp_path / "few", lines("one", slower), lines("two", slower, rounds=2)) == ""
    assert text_of(tmp_path / "fewer", lines("one", slower), lines("two", slower, [*CASES[:1], *CASES[3:]])) == ""
    assert text_of(tmp_path / "alone", lines("one", slower)) == ""
