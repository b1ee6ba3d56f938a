"""Campaigns of a machine and of those that are published."""

import campaign

from analysis.verify import report
from analysis.verify.bands import verify

CASES = [campaign.case(name, workload=workload) for name in ("red", "blue") for workload in ("mnist_mlp", "imdb_gru")]
TRUTH = {"red": 0.010, "blue": 0.013}
YOURS, THEIRS = "2026-11-25 0900", "2026-11-20 0900"


def lines(cases=CASES, factor=1.0, name=YOURS, seed=1, noise=0.01, rounds=5, **changes):
    """Return a campaign whose times are `factor` times the truth; `changes` are of its machine."""
    times = campaign.noisy({key: factor * value for key, value in TRUTH.items()}, noise, seed)
    made = campaign.lines(cases, times, rounds=rounds, seed=seed, campaign=name)
    threads = changes.pop("threads", made[0]["threads"])
    made[0] = {**made[0], "threads": threads, "machine": {**made[0]["machine"], **changes}}
    return made


def found(yours, *theirs):
    return verify(campaign.of(yours), [campaign.of(each) for each in theirs])


def published(**changes):
    return lines(name=THEIRS, seed=2, **changes)


def verdicts(verification):
    return [each.verdict for each in verification.cases]


def reasons(verification):
    return {each.reason for each in verification.cases}


def gives_no_answer(verification):
    return (verification.exit_code, report.sentence(verification)[:10]) == (2, "No answer:")
