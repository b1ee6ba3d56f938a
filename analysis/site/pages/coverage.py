"""Coverage: which cells have a time, of how many rounds and how old, and why the others have none."""

from collections import Counter
from collections.abc import Sequence

from analysis import units
from analysis.compare import coverage
from analysis.compare.coverage import Covered
from analysis.site.pages import NOTHING, Found, competitor, details, explorer_data, in_full
from analysis.stats import Row
from analysis.text import html, sentences
from analysis.text.html import Markup, Wide

LEGEND = (
    "In each cell: rounds with a time, of all batch sizes and optimisers that were asked; the day on which the oldest "
    "of their campaigns began, and by how much that is older than the newest campaign. "
    f"{coverage.OTHER_CODE.capitalize()}: the file that the site shows is not the one that was measured; "
    f"{coverage.OTHER_PROOF}: the file is, and its adapter, or the workload's statement, has changed since; "
    f"{coverage.OTHER_VERSION}: the environment's title has changed since; "
    f"{coverage.OTHER_TIMING}: the code that times runs has changed since. "
    f"{units.NONE}: cannot be asked, as a training loop of its own where a framework has none."
)
WHY = {
    coverage.NEVER: "no published campaign asked for it",
    coverage.UNSUPPORTED: "the framework's folder has no model file for the workload, or the mode cannot run it",
}


def page(found: Found) -> str:
    """Return the fragment of the coverage page, machine by machine."""
    machines = found.results.machines
    if not machines:
        return str(NOTHING)
    newest = max(each.day for each in found.results.shown)
    several = len(machines) > 1
    parts = []
    for number, machine in enumerate(machines, 1):
        places = coverage.places(found.results, found.answers, machine)
        head = [f"## Machine {number}\n"] if several else []
        said = finding(machine, places, newest)
        parts += [*head, in_full(said), *_tables(machine, places, newest, several)]
    return "\n".join(parts)


def finding(machine: str, places: Sequence[Covered], newest: str) -> str:
    """Return how much of what can be asked has a time, how old that is, and what the rest lacks."""
    default = [each for each in places if each.is_default]
    has_time = [each for each in default if each.measured]
    everywhere = sum(bool(each.measured) for each in places)
    count = f"{machine}: {len(has_time)} of {len(default)} cells in default modes have a time"
    total = f"in all modes, {everywhere} of {len(places)}"
    reasons = units.listing(f"{name} {number}" for name, number in by_reason(default).items())
    lacking = f" The others: {reasons}." if reasons else ""
    if not has_time:
        return f"{count}; {total}.{lacking}"
    given = [answer for each in has_time for answer in each.measured]
    fewest, most = (bound(answer.cell.rounds for answer in given) for bound in (min, max))
    return f"{count}, of {_rounds(fewest, most)}; {total}. {_age(has_time, newest)}{lacking}"


def _age(has_time: Sequence[Covered], newest: str) -> str:
    oldest = min(answer.day for each in has_time for answer in each.measured)
    days = coverage.age_days(oldest, newest)
    old = f"{units.count(days, 'day')} before the newest campaign" if days else "the day of the newest campaign"
    stale = sum(any(answer.stale for answer in each.measured) for each in has_time)
    of_others = f"{stale} of them were" if stale else "none was"
    return f"The oldest is of {oldest}, {old}; {of_others} measured by other code or in another version than is shown."


def by_reason(places: Sequence[Covered]) -> dict[str, int]:
    """Return how many places have no time for which reason, the most frequent first."""
    return dict(Counter(sorted(each.reason for each in places if each.reason)).most_common())


def _tables(machine: str, places: Sequence[Covered], newest: str, several: bool) -> list[str]:
    level = "###" if several else "##"
    default = [each for each in places if each.is_default]
    others = [each for each in places if not each.is_default]
    other_modes = details.unfolding("The other modes", _grid(f"Other modes on {machine}", others, newest))
    return [
        f"\n{level} Default modes\n",
        in_full(LEGEND, "source"),
        _grid(f"Default modes on {machine}", default, newest),
        other_modes if others else "",
        f"\n{level} Why the others have no time\n",
        _reasons(places),
    ]


def _grid(caption: str, places: Sequence[Covered], newest: str) -> Markup:
    """Return a table of workloads and tasks by environment and mode."""
    columns = sorted({(each.title, each.row) for each in places})
    asked = {(each.workload, each.task) for each in places if each.answers}
    lines: dict[tuple[str, str], list[Covered]] = {}  # what nobody asked of a workload shares one
    for each in places:
        task = each.task if (each.workload, each.task) in asked else ""
        lines.setdefault((each.workload, task), []).append(each)
    header = ["workload and task", *(competitor(title, row) for title, row in columns)]
    return html.table(caption, header, [_line(own, columns, newest) for own in lines.values()], "coverage")


def _line(own: Sequence[Covered], columns: Sequence[tuple[str, Row]], newest: str) -> list[Markup]:
    tasks = [html.element("small", sentences.TASKS[task]) for task in dict.fromkeys(each.task for each in own)]
    head = html.join([explorer_data.workload_link(own[0].workload), *tasks])
    if not any(each.answers for each in own):
        return [head, Wide(coverage.NEVER)]
    known = {each.row: each for each in own}
    return [head, *(_cell(known.get(row), newest) for _, row in columns)]


def _cell(place: Covered | None, newest: str) -> Markup:
    if place is None:
        return html.safe(units.NONE)
    if place.reason:
        return html.element("span", html.safe(place.reason), kind="gap")
    given = place.measured
    rounds = [answer.cell.rounds for answer in given]
    stale = sorted({why for answer in given for why in answer.stale})
    partly = [f"{len(given)} of {len(place.answers)} questions"] if len(given) < len(place.answers) else []
    day = min(answer.day for answer in given)
    days = coverage.age_days(day, newest)
    notes = [f"{day}, {units.count(days, 'day')} older" if days else day, *partly, *stale]
    return html.join([_rounds(min(rounds), max(rounds)), *(html.element("small", note) for note in notes)])


def _rounds(fewest: int, most: int) -> str:
    return units.count(most, "round") if fewest == most else f"{fewest} to {units.count(most, 'round')}"


def _reasons(places: Sequence[Covered]) -> Markup:
    """Return a table of the reasons, each with how many places it keeps empty and what one of them said."""
    rows = []
    for reason, number in by_reason(places).items():
        own = [each for each in places if each.reason == reason]
        default = sum(each.is_default for each in own)
        rows.append((reason, str(default), str(number), html.safe(_said(reason, own))))
    header = ("reason", "cells in default modes", "cells in all modes", "for example")
    return html.table("Cells without a time", header, rows, "failures")


def _said(reason: str, places: Sequence[Covered]) -> str:
    """Return what the first of some empty places gave as its reason, else what the reason means."""
    asked = [each for each in places if each.answers]
    said = explorer_data.note(asked[0].answers[-1].cell) if asked else None
    return f"{asked[0].title}, {asked[0].workload}: {said}" if said else WHY[reason]
