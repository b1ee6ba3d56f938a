"""What the terminal says before a campaign, and while it runs."""

import io

import pytest
from competitors import plain
from replies import line

from bench.campaign import campaign as campaigns
from bench.campaign import estimates, report, rounds
from bench.cases import Selection, select
from bench.units import step_time


def planned(plan, frameworks, budget_s):
    devices = dict.fromkeys(["numpy-a", "numpy-b"], "cpu")
    cases = select(Selection(workloads=["mnist_mlp", "imdb_gru", "cifar10_cnn"], modes=["plain"]), devices, frameworks)
    known = estimates.Known({(case.id, start): 20.0 for case in cases for start in estimates.UNKNOWN_S}, {}, {})
    made = plan(budget_s, known=known)
    over = rounds.left_out(cases, made, campaigns.CampaignFile("", []))
    return rounds.outline(cases, made._replace(refused=over))


NEXT = "imdb_gru train b64 adam"
AS_OFTEN = "The budget is too small for all rounds: increase it to --budget 3m, or measure again (rounds add up)."


@pytest.mark.parametrize(("budget_s", "budget", "less"), [(130.0, "2:10", []), (50.0, "0:50", [AS_OFTEN])])
def test_a_plan_tells_what_is_measured_how_long_it_takes_and_which_budget_holds_the_rest(
    plan, frameworks, budget_s, budget, less
):
    """It also tells where the budget does not hold all rounds of what matters most."""
    text = report.plan(planned(plan, frameworks, budget_s), 3, budget_s, 0.0)
    assert text.splitlines() == [
        f"Plan: 1 comparison, at least 3 rounds of each: about 2:00 of a budget of {budget}",
        "  mnist_mlp        train b128 rmsprop           2 competitors  2:00",
        *less,
        f"Not included: 2 comparisons. --budget 5m includes the next one ({NEXT}), --budget 7m all of them.",
    ]


def test_a_plan_that_holds_all_names_no_budget(plan, frameworks):
    text = report.plan(planned(plan, frameworks, None), 3, None, 60.0)
    assert text.startswith("Plan: 3 comparisons, at least 3 rounds of each: about 6:00 (1:00 of it are spent: it cont")
    assert "--budget" not in text


def test_what_is_over_budget_is_no_line_of_its_own_and_a_reason_is_told_once(frameworks):
    stream = io.StringIO()
    listener = report.Listener(stream)
    campaign = campaigns.CampaignFile("no-file.jsonl", [])
    cases = plain("numpy-a", "numpy-b", frameworks=frameworks)
    for status in ("over_budget", "absent"):
        for case in cases:
            listener(line(case=case, duration_s=0.0, status=status, reason=f"{status} here"), campaign, 0.0)
    (printed,) = stream.getvalue().splitlines()
    assert printed.startswith("left out numpy-a")
    assert printed.endswith("absent: absent here")


@pytest.mark.parametrize(
    ("value", "text"), [(9.994e-4, "999 us"), (9.996e-4, "1 ms"), (0.9999, "1 s"), (0.25, "250 ms"), (12.345, "12.3 s")]
)
def test_a_time_that_rounds_to_a_thousand_has_the_next_unit(value, text):
    assert step_time(value) == text
