"""A machine's page: its own ranking first, what is missing in a line; names of hardware, GPUs first."""

import re

import campaign
import pytest
from shown import changed, found, text_of

from analysis.site.pages import machines

OLD, NEW = "2026-11-18 0900", "2026-11-20 0900"
TRUTH = {"red": 0.010, "blue": 0.013, "green": 0.0102}
CASES = [campaign.case(name) for name in TRUTH]
ON_GPU = {"gpu": "NVIDIA H200", "gpu_driver": "580.1"}


def lines(name=NEW, cases=CASES, rounds=4, record=None, **about):
    made = campaign.lines(cases, campaign.noisy(TRUTH, noise=0.002), rounds, campaign=name, **about)
    made[-1]["rounds"] = rounds
    if record:
        made[0]["machine"].update(record)
    return made


def page_of(folder, *campaigns):
    """Return the page of the only machine."""
    (page,) = machines.pages(found(folder, *campaigns)).values()
    return page


def heading(page):
    return page.split("\n", 1)[0]


def test_a_newcomer_s_quick_campaign_shows_its_own_ranking_first_and_what_is_missing_in_a_line(tmp_path):
    three = [campaign.case(name, workload=workload, batch_size=size, optimizer=optimizer)
             for workload, size, optimizer in (("mnist_mlp", 128, "rmsprop"), ("imdb_gru", 64, "adam"),
                                               ("cifar10_cnn", 64, "sgd")) for name in TRUTH]  # fmt: skip
    page = page_of(tmp_path, lines(cases=three, rounds=4))
    text = text_of(page)
    assert text.startswith("# Test at 3 GHz, 8 CPUs 1 campaign, 4 rounds, newest 2026-11-20.")
    assert re.search(r"\d+ of \d+ workloads not measured on this machine\. Coverage gives the reasons\.", text)
    assert 'href="../../../coverage/"' in page
    assert page.index("Ranking on this machine") < page.index("## The machine")
    assert page.count("<tr>") == 1 + 3 + 1 + 7, "three networks were measured, and nothing else has a row"
    assert len(text.split()) <= 600


def test_the_fastest_has_its_time_and_the_others_their_factor_with_its_interval(tmp_path):
    text = text_of(page_of(tmp_path, lines(rounds=8)))
    assert "fp32, 4 threads, default modes network Blue 1.0 Green 1.0 Red 1.0" in text
    row = re.search(r"training, batch 128 (.*?) ##", text)[1]
    assert re.match(r"1\.3\dx 1\.[23]\d to 1\.3\d (~?1\.02x|tie) 1\.0\d to 1\.0\d (9\.9\d|10\.\d) ms", row)


def test_the_index_names_hardware_with_gpus_first_and_leads_to_each_page(tmp_path):
    made = found(tmp_path, lines(machine="a-laptop"), lines(machine="z-gpu", record=ON_GPU))
    index = machines.page(made)
    assert index.index(">H200<") < index.index(">Test at 3 GHz&#44; 8 CPUs<")
    assert all(f'href="../generated/machines/{name}/"' in index for name in machines.pages(made))
    assert text_of(index).count("1 campaign, 4 rounds 2026-11-20") == 2


def test_several_equal_nodes_are_counted_and_are_one_machine(tmp_path):
    made = [lines(name) for name in (OLD, NEW)]
    for number, own in enumerate(made, 1):
        own[0]["node"] = number
    assert "2 campaigns, 8 rounds, 2 nodes, newest 2026-11-20" in text_of(page_of(tmp_path / "both", *made))
    assert "1 campaign, 4 rounds, newest 2026-11-20" in text_of(page_of(tmp_path / "one", made[1]))


def test_another_machine_changes_no_address_and_no_name_of_the_others(tmp_path):
    (before,) = machines.pages(found(tmp_path, lines(machine="laptop"))).items()
    both = machines.pages(found(tmp_path, lines(machine="a-cluster", record=ON_GPU)))
    assert heading(both[before[0]]) == heading(before[1]) == "# Test at 3 GHz, 8 CPUs"
    assert not re.search(r"Machine \d", " ".join(both.values()))


def test_a_name_of_hardware_is_plain_text_in_a_heading(tmp_path):
    page = page_of(tmp_path, lines(record={"cpu": "Buy_here.example/(x) =1+1"}))
    assert re.fullmatch(r"# [A-Za-z0-9 .,()+-]+", heading(page))


def ceiling(environment, flops_s, name=NEW, **changes):
    usual = {"kind": "ceiling", "campaign": name, "environment": environment, "device": "cpu", "precision": "fp32",
             "matmul_flops_s": flops_s, "copy_bytes_s": 1e10, "reason": None}  # fmt: skip
    return {**usual, **changes}


def test_the_largest_matrix_product_is_that_of_the_newest_campaign_that_measured_it(tmp_path):
    old, new = lines(OLD), lines(NEW, seed=2)
    old[4:4] = [ceiling("red", 2e11, OLD), ceiling("blue", 1e11, OLD)]
    assert "Largest matrix product: 200 GFLOP/s in fp32 on the CPU." in text_of(page_of(tmp_path, old, new))


@pytest.mark.parametrize("zero", [0.0, 1e11])
def test_a_ceiling_of_zero_stops_no_page(tmp_path, zero):
    own = campaign.lines(CASES, campaign.always("failed"))
    own[4:4] = [ceiling("red", zero)]
    assert "No framework has a time in its default mode" in text_of(page_of(tmp_path, own))


def test_other_processes_and_void_rounds_are_named_where_the_machine_was_sampled(tmp_path):
    own = changed(lines(), "run", machine_state=campaign.state(0.04))
    own.insert(-1, campaign.void(CASES[0], 9))
    text = text_of(page_of(tmp_path / "sampled", own))
    assert "Other processes used at most 4.00 % of the cores. Disturbed rounds: 1 repeated (other processes)." in text
    assert "was not sampled, so no round could be judged void" in text_of(page_of(tmp_path / "not", lines()))


def test_a_machine_leads_to_its_comparison_with_each_other_one_that_measured_the_same(tmp_path):
    made = found(tmp_path, lines(machine="laptop"), lines(machine="z-gpu", record=ON_GPU, seed=2))
    for page in machines.pages(made).values():
        assert re.search(r'Compare it with: <a href="../../../compare/#[^"]+">', page)
    assert "No other machine measured the same." in page_of(tmp_path / "alone", lines())


def test_the_page_says_on_how_many_devices_at_once_a_machine_trained(tmp_path):
    cases = [*CASES, campaign.case("red", "eager+replicated+2", tier="ablation")]
    text = text_of(page_of(tmp_path / "several", lines(cases=cases)))
    assert "Data parallelism: 2 replicas on the CPU at once, in 1 environment ( several devices )." in text
    assert "Data parallelism" not in page_of(tmp_path / "one", lines())
