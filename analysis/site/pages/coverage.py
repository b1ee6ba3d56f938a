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
    known = places_of(found)
    places = {name: known[name] for name in machines.in_order(found)}
    titles, every = found.names, [each for own in places.values() for each in own]
    return template.render(
        "coverage.html",
        summaries=[summary(machines.link(name, titles[name]), own) for name, own in places.items()],
        reasons=[_reason(reason, places, titles) for reason in by_reason(every)],
        stale=[(label, _stale(label, places), why) for label, why in STALE.items() if _stale(label, places)],
        data=links.data("../", "coverage.csv"),
    )  # fmt: skip


def summary(machine: Markup, places: Sequence[Covered]) -> tuple[object, ...]:
    """Return how much of what can be asked has a time, and how old and how current that is."""
    default = [each for each in places if each.is_default]
    given = [answer for each in default for answer in each.measured]
    rounds = [answer.cell.rounds for answer in given]
    return (
        machine,
        f"{sum(bool(each.measured) for each in default)} of {len(default)}",
        len({each.workload for each in default if each.measured}),
        " to ".join(dict.fromkeys(str(bound(rounds)) for bound in (min, max))) if rounds else units.NONE,
        min((answer.day for answer in given), default=units.NONE),
        sum(any(answer.stale for answer in each.measured) for each in default),
    )


def by_reason(places: Sequence[Covered]) -> dict[str, int]:
    """Return how many places in default modes have no time for which reason, the most frequent first."""
    return dict(Counter(sorted(each.reason for each in places if each.reason and each.is_default)).most_common())


def _reason(reason: str, places: Mapping[str, Sequence[Covered]], titles: Mapping[str, str]) -> tuple[str, str, str]:
    """Return a reason with its number of cells on each machine, and what it means."""
    counts = {titles[name]: by_reason(own).get(reason, 0) for name, own in places.items()}
    told = "; ".join(f"{name} {number}" for name, number in counts.items() if number)
    asked = (each for own in places.values() for each in own if each.reason == reason and each.answers)
    example = next((html.element("q", html.safe(f"{each.title}, {each.workload}: {each.answers[-1].cell.reason}"))
                    for each in asked), "")  # fmt: skip
    return reason, told, WHY.get(reason, example)


def _stale(label: str, places: Mapping[str, Sequence[Covered]]) -> int:
    """Return how many cells in default modes have changed since they were measured, for one cause."""
    return sum(any(label in answer.stale for answer in each.measured)
               for own in places.values() for each in own if each.is_default)  # fmt: skip
