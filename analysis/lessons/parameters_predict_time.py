"""More parameters mean more time: each network over each that has fewer parameters."""

import itertools

from analysis.lessons import contrast
from analysis.literature import Claim
from bench import registry

ORDER = 3
CLAIM = "parameters-predict-time"


def contrasts(claim: Claim) -> list[Claim]:
    """Return a contrast for each two networks, the larger one over the smaller."""
    networks = [name for name in contrast.read(claim.where)["workload"] if registry.has_workload(name)]
    ordered = sorted(networks, key=lambda name: int(registry.workload(name).PARAMETERS))
    rest = " ".join(word for word in claim.where.split() if not word.startswith("workload="))
    return [claim._replace(contrast=f"workload={larger} / workload={smaller}", where=rest)
            for smaller, larger in itertools.combinations(ordered, 2)]  # fmt: skip
