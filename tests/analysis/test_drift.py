"""Ratios across campaigns: their intervals hold what campaigns differ by, and miss the truth once in a hundred."""

import numpy as np
import pytest

from analysis.estimate import contrasts
from analysis.stats.shared_variance import Between, Shared

TRIALS = 400
DRIFT, NOISE, ROUNDS = 0.03, 0.005, 5
CAMPAIGN_OF = {number: f"campaign {number // ROUNDS}" for number in range(12 * ROUNDS)}


def logs(random, campaigns, noise=NOISE):
    """Return times of some campaigns by round: each campaign has a drift of its own."""
    own = random.normal(0, DRIFT, (campaigns, 1)) + random.normal(0, noise, (campaigns, ROUNDS))
    return dict(enumerate(np.exp(own).ravel().tolist()))


def missed(ratios):
    return sum(not each.interval.low < 1 < each.interval.high for each in ratios)


def test_two_campaigns_of_a_machine_that_drifts_differ_once_in_a_hundred():
    random = np.random.default_rng(5)
    pairs = [[[*logs(random, 1).values()] for _ in range(2)] for _ in range(TRIALS)]
    known = [Between(DRIFT**2, 20.0)] * 2
    assert missed(contrasts.of_two_campaigns(*pair, known) for pair in pairs) <= 12  # more comes once in a thousand
    assert missed(contrasts.of_two_campaigns(*pair, []) for pair in pairs) > TRIALS / 4  # as rounds alone would have it


def test_a_ratio_of_two_questions_holds_what_campaigns_differ_by():
    random = np.random.default_rng(6)
    times = [(logs(random, 12), logs(random, 12, NOISE)) for _ in range(TRIALS)]
    ratios = [contrasts.of_shared_rounds(one, other, CAMPAIGN_OF, None) for one, other in times]
    assert missed(ratios) <= 16  # from its own twelve campaigns, the variance between them is an estimate
    alone = Shared()
    assert missed(contrasts.of_shared_rounds(one, other, CAMPAIGN_OF, alone) for one, other in times) > TRIALS / 5


def test_separate_rounds_hold_the_drift_of_both_sides():
    random = np.random.default_rng(7)
    shared = Shared(between={("", True): Between(DRIFT**2, 20.0)})
    ratios = []
    for _ in range(TRIALS):
        own = logs(random, 12)
        sides = [{number: own[number] for number in range(*ends)} for ends in ((0, 30), (30, 60))]
        ratios.append(contrasts.of_separate_rounds(*sides, CAMPAIGN_OF, [shared] * 2))
    assert missed(ratios) <= 12


def test_a_machine_of_two_campaigns_takes_the_largest_drift_of_the_others():
    drifts = {("a", 1): Shared(between={("", True): Between(1e-4, 9.0)}, most=8.0),
              ("b", 1): Shared(between={("", True): Between(4e-4, 9.0)}, most=3.0)}  # fmt: skip
    assert contrasts.drift_of(drifts, "new", 1, "mlp", True).variance == pytest.approx(4e-4)
    assert contrasts.drift_of(drifts, "b", 1, "mlp", True) == Between(4e-4, 3.0)
    assert contrasts.drift_of({}, "new", 1, "mlp", True).variance == 0.0


@pytest.mark.parametrize("variance", [0.0, 1e-6, 1e-4, 1e-2])
def test_a_known_drift_never_makes_an_interval_narrower(variance):
    times, others = [1.0, 1.2, 1.1], [1.3, 1.25, 1.4]
    alone = contrasts.of_two_campaigns(times, others, [])
    both = contrasts.of_two_campaigns(times, others, [Between(variance, 1000.0)] * 2)
    assert both.interval.half_width >= alone.interval.half_width > 0
