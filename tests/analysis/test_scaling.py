"""Several devices: efficiency is the share of a perfect speed-up, and a network's page says so."""

import re

import campaign
import pytest
import shown

from analysis.estimate import scaling
from analysis.estimate.estimates import estimate_all
from analysis.site.pages import devices, why

TIMES = {("eager", 64): 0.010, ("eager", 128): 0.018, ("eager+replicated+2", 128): 0.012}
TWO = "eager+replicated+2"


def measured(folder, times=TIMES, rounds=8, device="cpu", **fields):
    cases = [campaign.case("red", mode, tier="ablation", batch_size=size, device=device) for mode, size in times]
    noise = campaign.noisy({"red": 1.0}, noise=0.002)

    def step_s(about, number):
        return noise(about, number) * times[about["mode"], about["batch_size"]]

    lines = campaign.changed(campaign.lines(cases, step_s, rounds=rounds), "run", **fields)
    found = shown.found(folder, lines)
    return found._replace(changed=estimate_all(found.results.ablations))


def efficiencies(found):
    return {each.kind: each.efficiency for each in scaling.scalings(found.results.ablations, found.changed)}


def test_strong_scaling_is_of_one_batch_and_weak_scaling_of_one_for_each_device(tmp_path):
    found = efficiencies(measured(tmp_path))
    assert found["strong"].value == pytest.approx(0.018 / (2 * 0.012), rel=0.01)
    assert found["weak"].value == pytest.approx(0.010 / 0.012, rel=0.01)
    assert found["strong"].low < 0.75 < found["strong"].high


def test_without_one_device_to_compare_with_there_is_no_efficiency(tmp_path):
    assert efficiencies(measured(tmp_path, {(TWO, 128): 0.012})) == {}
    assert set(efficiencies(measured(tmp_path / "strong", {("eager", 128): 0.018, (TWO, 128): 0.012}))) == {"strong"}


@pytest.mark.parametrize(("device", "said"), [("cpu", "2 replicas on Test"), ("gpu", "2 x Test")])
def test_the_page_of_devices_has_efficiencies_with_intervals_and_the_time_in_communication(tmp_path, device, said):
    found = measured(tmp_path, device=device, communication_s=0.0061)
    text = shown.text_of(devices.measured(found))
    assert f"MLP on MNIST, batch 128: scaling efficiency of {said} at 3 GHz, 8 CPUs." in text
    assert re.search(r"Red 1.0 75.\d % \(7\d.\d to 7\d.\d\) 83.\d % \(\S+ to \S+\) 6.10 ms", text), text


def test_a_network_s_page_leads_to_the_efficiencies(tmp_path):
    found = measured(tmp_path, {("eager", 128): 0.018, (TWO, 128): 0.012})
    (text,) = why._by_devices(found, "mnist_mlp", "../")
    assert shown.text_of(text) == "scaling efficiency of 1 environment: several devices"
    assert why._by_devices(found, "gpt", "../") == []
