"""The home page says who is fastest where and when, and ranks nothing that is not alike."""

import re

import campaign
import shown
from page_parts import CASES, found
from shown import changed, text_of

from analysis import figures, units
from analysis.figures import style
from analysis.site.pages import home, workload
from bench import registry


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
