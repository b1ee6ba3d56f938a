"""Parity: for each workload, how many comparisons of answers pass, and which come nearest to their tolerance."""

import math
from collections.abc import Sequence

from analysis import units
from analysis.found import Found
from analysis.site import links, template
from analysis.text import html
from analysis.units import workload_title
from bench import registry
from bench.proof import parity


def page(found: Found) -> str:
    """Return the fragment of the parity page: how many agree, the tolerances, and a row for each workload."""
    failed = [line for line in found.matrix if not line.passes]
    reasons = {f"{line.environment_a} and {line.environment_b}, {line.workload}: {line.reason}"
               for line in failed if line.environment_a < line.environment_b}  # fmt: skip
    return template.render(
        "parity.html",
        passed=f"{len(found.matrix) - len(failed):,} of {len(found.matrix):,}",
        tolerances=[(name, f"{value:g}") for name, value in parity.TOLERANCES.items()],
        rows=[_row(name, [line for line in found.matrix if line.workload == name])
              for name in registry.workload_names()],
        failures=sorted(reasons)[:10],
        data=links.data("../", "parity.csv"),
    )  # fmt: skip


def _row(name: str, lines: Sequence[parity.Pair]) -> tuple[str, ...]:
    """Return how many comparisons of a workload's answers pass, and the largest error among those that do."""
    passed = [line.comparison for line in lines if line.passes]
    title = html.element("span", workload_title(name), id=name)  # where the workload's page leads to
    counts = f"{len(passed):,} of {len(lines):,}" if lines else "not answered"
    if not passed:
        return title, counts, units.NONE, units.NONE
    worst = max(passed, key=lambda comparison: largest(comparison)[0])
    return title, counts, share(worst), largest(worst)[1]


def share(comparison: parity.Comparison | None) -> str:
    """Return a comparison's largest error as a share of its tolerance: in percent, or as a multiple when far beyond."""
    if comparison is None:
        return ""
    worst, _ = largest(comparison)
    if not math.isfinite(worst):
        return "∞"
    if worst > 10:
        return f"{worst:,.0f} \u00d7"
    return "< 1 %" if worst < 0.01 else f"{100 * worst:,.0f} %"


def largest(comparison: parity.Comparison | None) -> tuple[float, str]:
    """Return a comparison's largest error as a share of its tolerance, and its quantity; infinite without one."""
    if comparison is None:
        return math.inf, units.NONE
    shares = [(error / parity.TOLERANCES[kind], kind) for kind, error in comparison.errors.items()]
    return max((math.inf if math.isnan(share) else share, kind) for share, kind in shares)
