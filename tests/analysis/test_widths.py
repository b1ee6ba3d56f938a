"""A question reports how narrow its ratios are, and the competitors with wide ones."""

import re

import campaign
import numpy as np
import pytest

from analysis.estimate.estimates import estimate_all
from analysis.load.table import read_results
from analysis.text import summary

NAMES = ("red", "blue", "green")


def told(folder, noise):
    random = np.random.default_rng(5)
    times = lambda about, _: float(0.01 * random.normal(1, noise[about["environment"]]))  # noqa: E731
    results = read_results(campaign.write(folder, campaign.lines([campaign.case(each) for each in NAMES], times, 8)))
    answer = estimate_all(results)[0]
    return [summary.precision(answer.pairs), *summary._least_steady(answer)]


def test_who_scatters_from_round_to_round_is_named_and_how_narrow_all_others_are(tmp_path):
    precision, least_steady = told(tmp_path, {"red": 0.005, "blue": 0.005, "green": 0.1})
    assert re.fullmatch(r"99 % intervals of 3 ratios: median ±9\.\d %, at most ±9\.\d %\.", precision)
    assert re.search(r": Green 1\.0 \(eager\) \(±9\.\d % to ±9\.\d %\)\. All other ratios: ", least_steady)
    assert re.search(r"at most ±0\.\d+ %\.$", least_steady)


@pytest.mark.parametrize("noise", [0.005, 0.2])
def test_where_all_are_alike_nobody_is_named(tmp_path, noise):
    assert len(told(tmp_path, dict.fromkeys(NAMES, noise))) == 1
