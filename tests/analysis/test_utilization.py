"""How much of its machine a run uses, and what is refused on reading."""

import re

import campaign
import pandas as pd
import pytest

from analysis.estimate.estimates import estimate_all
from analysis.load.table import read_results
from analysis.text.summary import summary
from bench import costs
from bench.cases import Case
from bench.results import peaks

CASES = [campaign.case("red"), campaign.case("blue")]
STEP_S = 0.01


def read(tmp_path, *ceilings, cases=CASES, time=STEP_S, change=None):
    lines = campaign.lines(cases, campaign.always(time))
    lines[1:1] = ceilings
    return read_results(campaign.write(tmp_path, change(lines) if change else lines))


def test_a_share_is_achieved_flops_over_the_best_matrix_product_of_the_machine(tmp_path):
    (answer,) = estimate_all(read(tmp_path, campaign.ceiling("red", 1e11), campaign.ceiling("blue", 2e11)))
    expected = costs.of(Case(**CASES[0])).flops / STEP_S
    for cell in answer.cells:
        assert cell.used.flops_s == pytest.approx(expected, rel=0.01)
        assert cell.used.of_product == pytest.approx(expected / 2e11, rel=0.01)
        assert cell.used.of_peak is None


def test_a_known_gpu_gives_a_share_of_its_datasheet(tmp_path):
    def on_h200(lines):
        lines[0]["machine"]["gpu"] = "NVIDIA H200"
        return lines

    cases = [campaign.case("red", device="gpu")]
    (answer,) = estimate_all(read(tmp_path, cases=cases, change=on_h200))
    flops = costs.of(Case(**cases[0])).flops
    assert answer.cells[0].used.of_peak == pytest.approx(flops / STEP_S / peaks.of("NVIDIA H200").fp32, rel=0.01)
    assert answer.cells[0].used.of_product is None


GPU = {
    "utilisation": 0.9, "sm_clock_mean_mhz": 1800.0, "sm_clock_lowest_mhz": 1200.0, "sm_clock_default_mhz": 1980.0,
    "memory_clock_mean_mhz": 3200.0, "power_mean_w": 512.5, "power_highest_w": 690.0, "temperature_highest_c": 71,
    "throttle_reasons": [], "memory_highest_bytes": 2**30, "processes_most": 1, "energy_j": None,
    "energy_window_s": None,
}  # fmt: skip


def with_energy(energy_j, window_s):
    """Return a change of lines after which each run's GPU has counted so many joules in so many seconds."""
    counted = campaign.state(gpu={**GPU, "energy_j": energy_j, "energy_window_s": window_s})
    return lambda lines: campaign.changed(lines, "run", machine_state=counted)


def test_the_energy_of_a_step_is_the_mean_power_of_its_run_times_its_time(tmp_path):
    cases = [campaign.case("red", device="gpu")]
    (answer,) = estimate_all(read(tmp_path, cases=cases, change=with_energy(20_000.0, 40.0)))
    assert answer.cells[0].used.energy_j == pytest.approx(500 * STEP_S, rel=0.01)


def test_what_counted_no_energy_has_none(tmp_path):
    (unsampled,) = estimate_all(read(tmp_path / "unsampled"))
    (short,) = estimate_all(read(tmp_path / "short", change=with_energy(None, None)))
    assert [cell.used.energy_j for answer in (unsampled, short) for cell in answer.cells] == [None] * 4


def test_an_epochs_share_is_that_of_its_steps(tmp_path):
    (answer,) = estimate_all(read(tmp_path, campaign.ceiling("red", 1e12), cases=[campaign.over_data("red")], time=1.0))
    flops = 10 * costs.of(Case(**{**CASES[0], "task": "train"})).flops
    assert answer.cells[0].used.of_product == pytest.approx(flops / 1e12, rel=0.01)


def test_without_a_ceiling_a_share_is_unknown(tmp_path):
    results = read(tmp_path)
    assert estimate_all(results)[0].cells[0].used.of_product is None
    assert "unknown" in summary(results)
    assert re.search(r" 4\.1\d %", summary(read(tmp_path / "measured", campaign.ceiling("red", 1e12)))), (
        "of 10^12 FLOP/s"
    )


def test_an_impossible_run_is_read_without_a_time_and_with_its_reason(tmp_path):
    results = read(tmp_path, campaign.ceiling("red", 1e9))
    assert set(results.runs["status"]) == {"implausible"}
    assert results.runs["step_s"].isna().all()
    assert pd.isna(results.runs["of_product"]).all()
    assert "implausible: a step needs at least" in summary(results)
