"""Coverage: of each machine, how much has a time, of how many rounds and how old, and why the rest has none."""

from collections import Counter
from collections.abc import Mapping, Sequence

from analysis import units
from analysis.compare import coverage
from analysis.compare.coverage import Covered
from analysis.found import Found, once
from analysis.site import links, template
from analysis.site.pages import machines
from analysis.text import html
from analysis.text.html import Markup

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


@once
def places_of(found: Found) -> dict[str, list[Covered]]:
    """Return the places of each machine's coverage."""
    return {name: coverage.places(found.results, found.answers, name) for name in found.results.machines}


def page(found: Found) -> str:
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
