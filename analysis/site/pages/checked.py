"""What was checked, and what was not measured: controls, parity of answers, and the coverage of each machine."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from analysis import controls, units
from analysis.compare import coverage
from analysis.compare.coverage import Covered
from analysis.found import Found, once
from analysis.site import links, template
from analysis.site.pages import machines
from analysis.text import html
from analysis.text.html import Markup
from analysis.units import workload_title
from bench import registry
from bench.proof import parity

MARKS = {
    passes: html.element("strong", words, kind=f"verdict {kind}")
    for passes, words, kind in ((True, "✓ passes", "holds"), (False, "✗ fails", "fails"), (None, "? open", "undecided"))
}
WHY = {
    coverage.NEVER: "no published campaign asked for it",
    coverage.UNSUPPORTED: "the framework has no model file for the workload, or the mode cannot run it",
}
STALE = {
    coverage.OTHER_CODE: "the model file changed",
    coverage.OTHER_PROOF: "the adapter or the workload's statement changed",
    coverage.OTHER_VERSION: "the environment has another version",
    coverage.OTHER_TIMING: "the code that times runs changed",
}


def controls_page(found: Found) -> str:
    """Return the fragment of the controls' page: each with its criterion, and its verdict on each machine."""
    promises = []
    for name, module in controls.found().items():
        judged = {machine: by_name[name] for machine, by_name in found.controls.items() if name in by_name}
        verdicts = [(found.names.get(machine, machine), MARKS[control.passes],
                     control.finding.split(". ")[0].rstrip(".") + ".")
                    for machine, control in judged.items()]  # fmt: skip
        promises.append((controls.about(module).title, controls.about(module).criterion, verdicts))
    return template.render("controls.html", promises=promises, data=links.data("../", "control_evidence.csv"))


def parity_page(found: Found) -> str:
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


@once
def places_of(found: Found) -> dict[str, list[Covered]]:
    """Return the places of each machine's coverage."""
    return {name: coverage.places(found.results, found.answers, name) for name in found.results.machines}


def coverage_page(found: Found) -> str:
    """Return the fragment of the coverage page: a row for each machine, then each reason with its number of cells."""
    places, names = {name: places_of(found)[name] for name in machines.in_order(found)}, found.names
    default = {name: [place for place in every if place.is_default] for name, every in places.items()}
    cells = [place for of_machine in default.values() for place in of_machine]
    reasons = Counter(sorted(place.reason for place in cells if place.reason))
    stale = Counter(
        label for place in cells for label in {label for answer in place.measured for label in answer.stale}
    )
    return template.render(
        "coverage.html",
        summaries=[_summary(machines.link(name, names[name]), cells) for name, cells in default.items()],
        reasons=[_reason(reason, places, names) for reason, _ in reasons.most_common()],
        stale=[(label, stale[label], why) for label, why in STALE.items() if stale[label]],
        data=links.data("../", "coverage.csv"),
    )


def _summary(machine: Markup, places: Sequence[Covered]) -> tuple[object, ...]:
    """Return how many of a machine's cells have a time, with their age and whether code changed since."""
    timed = [place for place in places if place.measured]
    answers = [answer for place in timed for answer in place.measured]
    rounds = [answer.cell.rounds for answer in answers]
    return (
        machine,
        f"{len(timed)} of {len(places)}",
        len({place.workload for place in timed}),
        " to ".join(dict.fromkeys([str(min(rounds)), str(max(rounds))])) if rounds else units.NONE,
        min((answer.day for answer in answers), default=units.NONE),
        sum(any(answer.stale for answer in place.measured) for place in timed),
    )


def _reason(reason: str, places: Mapping[str, Sequence[Covered]], names: Mapping[str, str]) -> tuple[str, str, str]:
    """Return a reason with its number of cells on each machine, and its meaning."""
    without = {name: [place for place in every if place.reason == reason] for name, every in places.items()}
    counts = {names[name]: sum(place.is_default for place in cells) for name, cells in without.items()}
    listed = "; ".join(f"{name} {number}" for name, number in counts.items() if number)
    asked = (place for cells in without.values() for place in cells if place.answers)
    example = next((html.element("q", html.safe(f"{place.title}, {place.workload}: {place.answers[-1].cell.reason}"))
                    for place in asked), "")  # fmt: skip
    return reason, listed, WHY.get(reason, example)
