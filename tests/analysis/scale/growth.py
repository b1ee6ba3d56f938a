"""Results of many runs, and what is counted while they are read."""

import campaign

CASES = [campaign.case(name) for name in ("red", "blue")]
TRUTH = {"red": 0.010, "blue": 0.012}


def written(folder, rounds, workloads=("mnist_mlp",), **about):
    cases = [dict(case, workload=workload) for workload in workloads for case in CASES]
    return campaign.write(folder, campaign.lines(cases, campaign.noisy(TRUTH), rounds=rounds, **about))
