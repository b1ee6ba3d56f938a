"""More parameters mean more time: each network over each that has fewer parameters."""

import itertools
from collections.abc import Sequence

from analysis.estimate.estimates import Estimates
from analysis.lessons import claim_test
from analysis.literature import Claim
from analysis.load.table import Results
from bench import registry

ORDER = 3
CLAIM = "parameters-predict-time"


def effects(claim: Claim, results: Results, answers: Sequence[Estimates]) -> list[claim_test.Effect]:
    """Return, for each two networks, the time of the larger over that of the smaller."""
    networks = [name for name in claim_test.read(claim.where)["workload"] if registry.has_workload(name)]
    ordered = sorted(networks, key=lambda name: int(registry.workload(name).PARAMETERS))
    rest = " ".join(word for word in claim.where.split() if not word.startswith("workload="))
    both = (claim._replace(contrast=f"workload={larger} / workload={smaller}", where=rest)
            for smaller, larger in itertools.combinations(ordered, 2))  # fmt: skip
    return [each for part in both for each in claim_test.effects(part, results, answers)]
