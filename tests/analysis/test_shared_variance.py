"""Variances shared between pairs: coverage by simulation, for several scatters, and a variance between campaigns."""

import itertools

import numpy as np
import pytest
import simulation
from scipy import special

from analysis.estimate.pairs import beaten_by, best_of, compare, estimated_pairs
from analysis.stats import interval, moments, shared_variance
from analysis.stats.moments import Moments
from analysis.stats.shared_variance import Shared

COMPETITORS = 6
ROWS = [(str(number), "") for number in range(COMPETITORS)]
PAIRS = COMPETITORS * (COMPETITORS - 1) // 2
QUESTIONS = simulation.QUESTIONS


def simulated(random, spreads, rounds, means=(0.0,) * COMPETITORS):
    return simulation.simulated(random, spreads, rounds, np.asarray(means))


@pytest.mark.parametrize("rounds", simulation.COVERED)
@pytest.mark.parametrize("name", simulation.SCATTER)
def test_intervals_hold_the_truth_as_often_as_they_say_whoever_scatters(name, rounds):
    held, noisy = simulation.coverage(name, rounds, machines=60)
    assert 0.98 <= held <= 0.998
    assert noisy is None or noisy >= 0.975


def test_a_shared_variance_makes_few_rounds_tell_more():
    known = simulated(np.random.default_rng(1), np.full((QUESTIONS, COMPETITORS), 0.01), 4)
    widths = [
        np.mean([ratio.half_width for each in known
                 for ratio in interval.of_moments(each.centre, *shared_variance.errors(each, shared), each.rounds)[0]])
        for shared in (shared_variance.NOTHING, shared_variance.fit(known))
    ]  # fmt: skip
    assert widths[1] < 0.75 * widths[0]


def test_alone_or_of_three_rounds_nothing_is_shared():
    random = np.random.default_rng(2)
    for rounds, in_turns in ((3, True), (6, False)):
        known = [each._replace(in_turns=np.full(PAIRS, in_turns))
                 for each in simulated(random, np.full((QUESTIONS, COMPETITORS), 0.01), rounds)]  # fmt: skip
        shared = shared_variance.fit(known)
        for each in known:
            variance, freedom = shared_variance.moderated(each, shared)
            assert (variance == each.within).all()
            assert (freedom == rounds - 1).all()


def test_a_planted_prior_is_found():
    random, count = np.random.default_rng(8), 4000
    variances = 2e-4 * random.f(4, 10, count)  # of 4 degrees of freedom, of a prior that has 10
    rows = [(str(number), "") for number in range(2 * count)]
    pairs = list(zip(rows[::2], rows[1::2], strict=True))
    one = np.ones(count)
    shared = shared_variance.fit(
        [Moments(pairs, one > 0, 0 * one, 5 * one, variances, variances, 4 * one, 0 * one, one, 0 * one, one)]
    )
    assert (shared.freedom, shared.variance) == (pytest.approx(10, rel=0.15), pytest.approx(2e-4, rel=0.05))


def families(name, rounds, means, machines=12):
    """Return how often a family of claims holds a false one, and how often the set of the best lacks the best."""
    random, false, lacking, told = np.random.default_rng(7 + rounds), 0, 0, 0
    truth = dict(zip(ROWS, means, strict=True))
    fastest = min(truth.values())
    for _ in range(machines):
        known = simulated(random, simulation.SCATTER[name](random), rounds, means)
        shared = shared_variance.fit(known)
        for each in known:
            made = estimated_pairs(each, shared)
            found = best_of(ROWS, made)
            false += any(
                (pair.faster and abs(truth[pair.b] - truth[pair.a]) <= np.log(interval.FASTER) + 1e-12)
                or (pair.faster and truth[pair.faster] > min(truth[pair.a], truth[pair.b]))
                for pair in made
            )
            ahead = {row for row, others in beaten_by(made).items() if not others}
            lacking += not any(truth[row] == fastest for row in found.may_be & ahead)
            told += any(np.log(least) > truth[row] - fastest + 1e-12 for row, least in found.behind.items())
    return false, lacking, told, machines * QUESTIONS


@pytest.mark.parametrize("name", simulation.SCATTER)
@pytest.mark.parametrize("rounds", [4, 8])
@pytest.mark.parametrize("means", [(0.0,) * 6, (0.0, *[np.log(1.01)] * 5), (0.0, 0.00995, 0.2, 0.20995, 0.5, 0.50995)])
def test_a_family_of_claims_and_the_set_of_the_best_are_wrong_in_one_of_a_hundred_at_most(name, rounds, means):
    false, lacking, told, families_ = families(name, rounds, means)
    most = 0.01 * families_ + 3 * np.sqrt(0.01 * families_)  # what chance adds, three standard errors
    assert false <= most
    assert lacking <= most
    assert told <= most


def two_campaigns(random, between, questions=12):
    """Return questions, each of a workload of its own, of two campaigns that differ by so much."""
    spreads = np.full((questions, COMPETITORS), 0.01)
    return simulation.simulated(random, spreads, 4, np.zeros(COMPETITORS), between, [2] * questions)


@pytest.mark.parametrize(("between", "least"), [(0.0, 98.3), (0.01, 98.0), (0.03, 98.0)])
def test_what_campaigns_differ_by_is_in_the_intervals(between, least):
    random = np.random.default_rng(3)
    assert least <= 100 * np.mean([simulation.held(two_campaigns(random, between)) for _ in range(40)]) <= 99.8


GATE = [("all 1 %", "0.3 to 3 %", 3), ("one 8 %", "1 %", 2), ("one 8 % in some", "nothing", 2)]  # the hardest of each
REST = [
    each for each in itertools.product(simulation.SCATTER, simulation.APART, simulation.CAMPAIGNS) if each not in GATE
]


@pytest.mark.parametrize(
    ("name", "apart", "campaigns"), [*GATE, *(pytest.param(*each, marks=pytest.mark.nightly) for each in REST)]
)
def test_intervals_hold_the_truth_though_campaigns_differ_by_unequal_variances(name, apart, campaigns):
    held, once, _ = simulation.coverage_of_campaigns(name, apart, campaigns, machines=40)
    assert 0.98 <= held <= 0.998
    assert once >= 0.975


def test_a_workload_whose_campaigns_differ_most_has_wider_intervals_than_the_common_variance_gives():
    """Before, one variance was pooled over workloads, and that of the restless one was missed."""
    random, own, pooled, questions = np.random.default_rng(9), [], [], 12
    apart = np.array([0.04] + [0.004] * (questions - 1))
    for _ in range(60):
        known = simulation.simulated(
            random, np.full((questions, COMPETITORS), 0.01), 4, np.zeros(6), apart, [4] * questions
        )
        own.append(simulation.held(known)[0])
        pooled.append(simulation.held([each._replace(workload="") for each in known])[0])
    assert np.mean(own) >= 0.975
    assert np.mean(pooled) < 0.93


def found_apart(random, apart, machines=30):
    """Return the standard deviation between campaigns that is found of each workload, over some machines."""
    between = [shared_variance.fit(two_campaigns(random, apart)).between for _ in range(machines)]
    return [np.sqrt(np.mean([each[str(number), True].variance for each in between])) for number in range(12)]


def test_the_variance_between_campaigns_is_found_of_each_workload():
    found = np.reshape(found_apart(np.random.default_rng(4), np.array([0.0, 0.01, 0.04] * 4)), (4, 3)).mean(axis=0)
    assert found[0] < found[1] < found[2]
    assert found[2] == pytest.approx(0.04, rel=0.2)
    assert found[0] < 0.02, "squeezed towards the common variance, and no further than half way"


def test_where_campaigns_differ_by_nothing_little_is_invented():
    assert max(found_apart(np.random.default_rng(4), 0.0)) < 0.005


def test_a_variance_between_campaigns_never_has_fewer_degrees_of_freedom_than_the_floor():
    random = np.random.default_rng(10)
    for questions in (1, 2, 12):
        between = shared_variance.fit(two_campaigns(random, 0.001, questions)).between
        assert all(each.freedom >= shared_variance.LEAST for each in between.values())


def test_what_campaigns_differ_by_never_narrows_a_ratio_that_was_not_measured_in_turns():
    random, narrower = np.random.default_rng(15), {}
    for in_turns in (True, False):
        known = simulation.simulated(random, np.full((12, COMPETITORS), 0.01), 3, np.zeros(6), 0.01, [3, 1] * 6)
        known = [each._replace(in_turns=np.full(PAIRS, in_turns)) for each in known]
        shared = shared_variance.fit(known)
        before, after = (np.concatenate([special.stdtrit(freedom, 0.995) * error for each in known
                                         for error, freedom in [shared_variance.errors(each, own)]])
                         for own in (shared._replace(between={}), shared))  # fmt: skip
        narrower[in_turns] = (after < before).mean()
    assert narrower[True] > 0.2, "three rounds borrow the degrees of freedom"
    assert narrower[False] == 0


def test_a_workload_of_one_campaign_takes_what_the_others_have_in_common():
    random = np.random.default_rng(11)
    known = simulation.simulated(random, np.full((7, COMPETITORS), 0.01), 4, np.zeros(6), 0.03, [2] * 6 + [1])
    shared = shared_variance.fit(known)
    assert shared.apart("6", in_turns=True) == shared.between["", True]
    before, _ = shared_variance.errors(known[6], shared._replace(between={}))
    errors, _ = shared_variance.errors(known[6], shared)
    assert (errors > before).all()


def test_one_campaign_has_no_variance_between_campaigns():
    shared = shared_variance.fit(simulated(np.random.default_rng(5), np.full((QUESTIONS, COMPETITORS), 0.01), 5))
    assert shared.between == {}


def test_moments_are_those_of_the_logarithms_by_campaign():
    random = np.random.default_rng(6)
    times = {row: {number: float(random.lognormal()) for number in range(7)} for row in ROWS[:3]}
    del times[ROWS[1]][2]
    found = moments.of_pairs(times, {number: number >= 4 for number in range(7)}, {})
    assert found.pairs == [(ROWS[0], ROWS[1]), (ROWS[0], ROWS[2]), (ROWS[1], ROWS[2])]
    logs = np.log([times[ROWS[1]][number] / times[ROWS[0]][number] for number in (0, 1, 3, 4, 5, 6)])
    parts = logs[:3], logs[3:]
    assert (found.centre[0], found.total[0]) == (pytest.approx(logs.mean()), pytest.approx(logs.var(ddof=1)))
    assert (found.rounds[0], found.freedom[0], found.campaigns[0]) == (6, 4, 2)
    assert found.within[0] == pytest.approx(sum(((part - part.mean()) ** 2).sum() for part in parts) / 4)
    assert found.between[0] == pytest.approx(sum(3 * (part.mean() - logs.mean()) ** 2 for part in parts))
    assert (found.size[0], found.weight[0]) == pytest.approx((3, 0.5))


def test_no_competitors_and_no_rounds_in_common_give_no_pairs():
    assert compare({}) == []
    assert compare({ROWS[0]: {1: 1.0}, ROWS[1]: {2: 1.0}}) == []
    assert shared_variance.fit([]) == Shared()


def test_times_without_any_noise_are_compared_all_the_same():
    times = {row: dict.fromkeys(range(5), 1.0 + 0.1 * at) for at, row in enumerate(ROWS)}
    known = [moments.of_pairs(times, {}, dict.fromkeys(ROWS, True))]
    assert {pair.claim for pair in estimated_pairs(known[0], shared_variance.fit(known))} == {"faster"}


def test_more_rounds_and_larger_differences_are_claimed_more_often():
    few, more, larger = (
        simulation.power(0.015, rounds, by, machines=3) for rounds, by in ((4, 0.03), (8, 0.03), (8, 0.05))
    )
    assert few.claimed < more.claimed < larger.claimed
    assert larger.claimed > 0.9
    assert max(each.false for each in (few, more, larger)) <= 0.02


def drifting(random, campaigns, drift, cells=6, rounds=4):
    """Return the moments of single times of machines whose campaigns differ by a drift that hits all times alike."""
    shift = np.repeat(random.normal(0, drift, campaigns), rounds)
    logs = random.normal(0, 0.01, (cells, campaigns * rounds)) + shift
    pairs = [(moments.NOBODY, (str(number), "")) for number in range(cells)]
    return moments.of_logs(pairs, [True] * cells, logs, np.repeat(np.arange(campaigns), rounds).tolist(), "mlp")


@pytest.mark.parametrize(("campaigns", "least"), [(3, 0.975), (8, 0.98)])
def test_intervals_of_single_times_hold_the_truth_though_the_machine_drifts_from_campaign_to_campaign(campaigns, least):
    random, held, alone = np.random.default_rng(12), [], []
    for _ in range(400):
        each = drifting(random, campaigns, 0.03)
        for shared, into in ((shared_variance.fit_alone([each], campaigns), held), (shared_variance.NOTHING, alone)):
            errors, freedom = shared_variance.errors(each, shared)
            into.append(np.abs(each.centre) <= special.stdtrit(freedom, 0.5 + interval.CONFIDENCE / 2) * errors)
    assert least <= np.mean(held) <= 1
    assert np.mean(alone) < 0.6, "what rounds alone tell is far too narrow"


def test_a_single_time_has_no_more_degrees_of_freedom_than_campaigns_but_one():
    each = drifting(np.random.default_rng(13), 3, 0.03)
    _, freedom = shared_variance.errors(each, shared_variance.fit_alone([each], 3))
    assert (freedom <= 2).all()
    _, alone = shared_variance.errors(
        each, shared_variance.fit_alone([drifting(np.random.default_rng(14), 1, 0.03)], 1)
    )
    assert (alone > 2).all(), "of one campaign nothing is known of campaigns"
