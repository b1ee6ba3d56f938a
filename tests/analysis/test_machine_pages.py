"""A machine's page: what it is, its ceilings, its campaigns, how it compares; and nothing of results in a heading."""

import re

import campaign
import pytest
from shown import changed, found, text_of

from analysis import units
from analysis.site.pages import machines

OLD, NEW = "2026-11-18 0900", "2026-11-20 0900"
TRUTH = {"red": 0.010, "blue": 0.013}
CASES = [campaign.case(name) for name in TRUTH]


def lines(name=NEW, factor=1.0, seed=1, **about):
    times = campaign.noisy({key: factor * value for key, value in TRUTH.items()}, seed=seed)
    return campaign.lines(CASES, times, seed=seed, campaign=name, **about)


def ceiling(environment, flops_s, name=NEW, **changes):
    usual = {"kind": "ceiling", "campaign": name, "environment": environment, "device": "cpu", "precision": "fp32",
             "matmul_flops_s": flops_s, "copy_bytes_s": 1e10, "reason": None}  # fmt: skip
    return {**usual, **changes}


def page_of(folder, *campaigns):
    """Return the page of the only machine."""
    (page,) = machines.pages(found(folder, *campaigns)).values()
    return page


def test_the_index_leads_to_a_page_for_each_machine(tmp_path):
    made = found(tmp_path, lines(machine="laptop"), lines(machine="cluster"))
    index = machines.page(made)
    assert all(f'href="../generated/machines/{name}/"' in index for name in machines.pages(made))
    assert index.count('href="../generated/machines/') == len(machines.pages(made)) == 2
    assert text_of(index).startswith("2 machines and 2 campaigns stand behind the numbers of this site.")
    first, second = machines.pages(made).values()
    assert "cluster" in text_of(first)
    assert "laptop: Test CPU at 3 GHz, 4 of 8 CPUs used, no GPU. 1 campaign" in text_of(second)


def test_a_machine_s_name_is_in_no_heading_and_no_file_name(tmp_path):
    pages = machines.pages(found(tmp_path, lines(machine="Buy-here.example")))
    assert list(pages) == ["a57cd7ba"]
    headings = [line for line in pages["a57cd7ba"].splitlines() if line.startswith("#")]
    assert headings[0] == "# Machine 1"
    assert not [line for line in headings if "example" in line]


def test_another_machine_leaves_the_addresses_of_the_others_alone(tmp_path):
    (alone,) = machines.pages(found(tmp_path, lines(machine="laptop")))
    both = machines.pages(found(tmp_path, lines(machine="cluster")))
    assert alone in both
    assert "laptop: Test CPU" in text_of(both[alone])


def test_ceilings_name_precision_and_environment(tmp_path):
    own = lines()
    own[3:3] = [ceiling("red", 2e11), ceiling("blue", 1e11), ceiling("blue", 3e11, precision="tf32"),
                ceiling("red", None, precision="tf32", copy_bytes_s=None, reason="cannot set tf32")]  # fmt: skip
    text = text_of(page_of(tmp_path, own))
    assert "The best environment reached 200 GFLOP/s in fp32 on the CPU (10.0 GB/s in a copy) and 300 GFLOP/s" in text
    assert re.search(r"cpu, fp32 Red 1.0 200 10.0 100 % cpu, fp32 Blue 1.0 100 10.0 50.0 %", text)
    assert "cpu, tf32 Red 1.0 cannot set tf32" in text


def answer(environment, precision="bf16", **changes):
    usual = {"kind": "answer", "campaign": NEW, "workload": "mnist_mlp", "optimizer": "rmsprop", "mode": "eager",
             "environment": environment, "device": "gpu", "precision": precision, "status": "ok", "reason": None,
             "errors": {"outputs": 4e-3}, "duration_s": 9.0}  # fmt: skip
    return {**usual, **changes}


def test_what_a_device_computed_stands_beside_what_was_proven_with_what_was_wrong(tmp_path):
    wrong = answer("blue", "tf32", status="unproven", reason="tf32 does nothing", errors={"outputs": None})
    own = lines()
    own[3:3] = [answer("red"), wrong]
    text = text_of(page_of(tmp_path, own))
    assert "1 of 2 programs computed on its device, or in another precision than float32, what they have" in text
    assert "rmsprop Red 1.0, eager gpu, bf16 2026-11-20 outputs 4.0e-03 right" in text
    assert "Blue 1.0, eager gpu, tf32 2026-11-20 \u2013 tf32 does nothing" in text


def test_ceilings_are_those_of_the_newest_campaign_that_has_any(tmp_path):
    old, new = lines(OLD), lines(NEW, seed=2)
    old[3:3] = [ceiling("red", 2e11, OLD)]
    assert f"fastest of five blocks; campaign {OLD}" in text_of(page_of(tmp_path, old, new))


def test_an_interrupted_campaign_is_listed_and_not_concluded_from(tmp_path):
    text = text_of(page_of(tmp_path, lines(OLD), lines(NEW, seed=2)[:-1]))
    assert "Numbers come from 1 campaign, and 1 other stayed out." in text
    assert re.search(rf"{NEW} .* not concluded from: interrupted, profile quick", text)


GPU = {
    "utilisation": 0.9, "sm_clock_mean_mhz": 1800.0, "sm_clock_lowest_mhz": 1200.0, "sm_clock_default_mhz": 1980.0,
    "memory_clock_mean_mhz": 3200.0, "power_mean_w": 512.5, "power_highest_w": 690.0, "temperature_highest_c": 71,
    "throttle_reasons": ["power cap"], "memory_highest_bytes": 2**30, "processes_most": 1, "energy_j": None,
    "energy_window_s": None,
}  # fmt: skip


def test_what_state_the_machine_was_in_is_told_and_void_rounds_are_counted_where_it_was_sampled(tmp_path):
    own = changed(lines(), "bench", telemetry="processor by psutil")
    runs = [line for line in own if line["kind"] == "run"]
    for number, line in enumerate(runs):
        line["machine_state"] = campaign.state((0.01, 0.04)[number % 2], GPU)
    own.insert(-1, campaign.void(CASES[0], 9))
    text = text_of(page_of(tmp_path, campaign.slowed(own[:-3], 1.1) + campaign.slowed(own[-3:], 2.0)))
    assert "machine state processor by psutil" in text
    slowed = sum(len(line["block_s"]) for line in own[-3:] if line["kind"] == "run")
    assert f" {units.share(slowed / sum(len(line['block_s']) for line in runs))} " in text
    assert "1.00 to 4.00 %" in text
    assert "2,500 to 3,000 MHz" in text
    assert "SM clock 1,200 to 1,800 MHz; mean power 512 W; hottest 71.0 °C; held down by power cap" in text
    assert "In 1 campaign whose rounds were watched, 1 round was void and repeated." in text
    assert text.count("1 repeated (other processes)") == 3  # in the facts, among the states, and of the campaign


def test_the_only_machine_and_a_campaign_of_before_the_sampler_ceilings_and_answers_say_what_is_not_known(tmp_path):
    text = text_of(page_of(tmp_path, lines()))
    assert "No other machine is published, so there is none to compare this one with." in text
    assert "so shares of this machine are unknown" in text
    assert "beside what was proven" not in text
    assert text.count("not sampled: the campaign is older than the sampler") == 2
    assert "not judged" in text
    assert "was not sampled, so no round could be judged void" in text
    assert "How busy it was could not be sampled." in text


def test_each_section_opens_with_a_sentence(tmp_path):
    page = page_of(tmp_path, changed(lines(), "run", machine_state=campaign.state(0.04)))
    for section in page.split("\n## ")[1:]:
        assert re.match(r'[^\n]+\n\s*<p class="(finding|missing)"', section), section[:80]
    text = text_of(page)
    assert "It has 16 GiB of memory and runs Linux 6.1;" in text
    assert "Its runs kept their cores 90.0 % busy; at most 4.00 % of them went to other processes." in text
    assert "2 environments computed on its CPU" in text


def test_a_machine_is_compared_with_each_other_one(tmp_path):
    made = found(tmp_path, lines(machine="laptop"), lines(machine="cluster", factor=0.5, seed=2))
    for page in machines.pages(made).values():
        text = text_of(page)
        assert "of 2 cases in both, 2 " in text
        assert re.search(r"(0\.[45]|2\.[01]|1\.[89])\d", text)
        assert 'href="../../../compare/#base=' in page


def test_a_machine_that_shares_no_case_says_so(tmp_path):
    other = campaign.lines([campaign.case("red", workload="linear")], campaign.always(0.01), machine="other")
    made = found(tmp_path, lines(), other)
    assert all(machines.APART in text_of(page) for page in machines.pages(made).values())


def test_without_results_there_is_no_machine(tmp_path):
    made = found(tmp_path)
    assert "Nothing has been measured yet" in machines.page(made)
    assert machines.pages(made) == {}


@pytest.mark.parametrize("zero", [0.0, 1e11])
def test_a_ceiling_of_zero_stops_no_page(tmp_path, zero):
    own = campaign.lines(CASES, campaign.always("failed"))
    own[3:3] = [ceiling("red", zero)]
    assert len(machines.pages(found(tmp_path, own))) == 1
