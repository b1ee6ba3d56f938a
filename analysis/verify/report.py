"""Tell whether a machine is as fast as published: one sentence, tables, what the bands mean, and likely causes."""

import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from analysis import units
from analysis.compare.baseline import CaseTimes, hardware
from analysis.groups import collected
from analysis.load.campaigns import Campaign, read_campaigns
from analysis.units import LEFT, plain, ratio_cells
from analysis.verify.bands import HOSTS, VERDICTS, Group, Judged, Nearest, Position, Verification
from analysis.verify.hints import hints
from bench import registry
from bench.errors import RecordError
from bench.units import aligned

FOLDER = Path(registry.STATE, "verify")
MEASURE = "nox -s verify (without Nox: python -m bench run --short --results FOLDER)"
HEADER = ("workload", "environment", "setting", "verdict", "yours", "published band", "to published", "99 % interval",
          "rounds")  # fmt: skip
TOGETHER = ("together", "cases", "verdict", "published band", "to published", "99 % interval", "rounds")
BESIDE = ("workload", "environment", "setting", "yours", "published", "to published", "99 % interval", "differs")
FOR_INFORMATION = "For information, without a verdict: the nearest that is published of other versions or model files"
MOST_NAMED = 4
CONTRIBUTE = """The table above shows what was measured, without a published band. To publish numbers of this machine:
nox -s bench -- --profile full, then a pull request with the new file in results/ (CONTRIBUTING.md, "Add a machine")."""


def newest(folder: Path, name: str | None = None) -> Campaign:
    """Return the newest campaign of a results folder, or the one of that name; raises RecordError without one."""
    found = [each for each in read_campaigns(folder) if name in (None, each.name)]
    if not found:
        what = f"no campaign {name!r}" if name else "no campaign"
        raise RecordError(f"There is {what} in {folder}. Measure this machine: {MEASURE}.")
    return max(found, key=lambda each: each.began)


def sentence(found: Verification) -> str:
    """Return the answer in a sentence."""
    counts = Counter(case.verdict for case in found.cases)
    if found.exit_code == 2:
        return "No answer: no case was measured in the rounds that a verdict needs."
    if not any(case.place for case in found.cases):
        near = ", but what another version did is shown" if any(each.beside for each in found.cases) else ""
        return f"No reference: nothing published can be compared with what was measured{near}."
    if found.slower:
        answer = f"Slower than published: {named(found.slower)}."
    else:
        answer = "As fast as published, or faster." if counts["faster"] else "As fast as published."
    told = units.listing(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    return f"{answer} Of {units.count(len(found.cases), 'case')}: {told}."


def text(found: Verification) -> str:
    """Return everything as text for a terminal."""
    rest = [part for part in (_reasons(found), _meaning(found), _causes(found)) if part]
    return "\n\n".join([plain(_about(found)), sentence(found), *_tables(found), *rest])


def as_json(found: Verification) -> str:
    """Return the same as JSON: times in seconds, ratios to the nearest published campaign with their interval."""
    return json.dumps({
        "answer": sentence(found),
        "badge": badge(found),
        "campaign": found.yours.name,
        "node": found.yours.bench.node,
        "together": [{"of": each.title, "cases": each.cases, **_place(each.place)} for each in found.groups],
        "cases": [_case(each) for each in found.cases],
        "hints": hints(found),
    }, indent=1)  # fmt: skip


def badge(found: Verification) -> dict[str, object]:
    """Return the answer as an endpoint of shields.io, which draws a badge from it."""
    places = [*(each.place for each in reversed(found.groups)), *(each.place for each in found.cases if each.place)]
    slower = [told(place) for place in places if place.verdict == "slower"]
    none = "not measured" if found.exit_code == 2 else "no reference"
    message = slower[0] if slower else "as published" if places else none
    color = "red" if slower else "brightgreen" if places else "lightgrey"
    return {"schemaVersion": 1, "label": "Rosetta Bench", "message": message, "color": color}


def _about(found: Verification) -> str:
    bench, machine = found.yours.bench, found.yours.bench.machine
    campaigns = {cell.campaign.name for each in found.cases for cell in each.references}
    beside = units.listing(sorted(campaigns)) or "nothing published"
    own = f"{machine.cpu}, {bench.threads} of {machine.logical_cpus} CPUs, {machine.gpu or 'no GPU'}"
    return f"{own}: campaign {bench.campaign} beside {beside}"


def _tables(found: Verification) -> list[str]:
    """Return a table of the environments and the whole, and one of the cases that have a time."""
    groups = [_group(each) for each in found.groups]
    cases = [_row(each) for each in found.cases if each.cell.step_s]
    tables = [
        "\n".join(aligned([header, *rows], LEFT)) for header, rows in ((TOGETHER, groups), (HEADER, cases)) if rows
    ]
    near = [_near(each.cell, each.beside) for each in found.cases if each.beside]
    return tables + ["\n".join([FOR_INFORMATION, *aligned([BESIDE, *near], LEFT)])] * bool(near)


def _near(cell: CaseTimes, beside: Nearest) -> tuple[str, ...]:
    times = [cell.mean_s, beside.cell.mean_s]
    unit = units.common(times, units.SECONDS)
    named = (plain(each) for each in (cell.case.workload, cell.title, cell.setting))
    return (
        *named,
        *(units.with_unit(time_s, unit) for time_s in times),
        *ratio_cells(beside.ratio)[:2],
        plain(beside.differs),
    )


def _group(group: Group) -> tuple[str, ...]:
    ratio = group.place.ratio
    nearest_s = group.mean_s / ratio.value
    low, high = (units.factor(bound / nearest_s) for bound in group.place.band)
    return (plain(group.title), str(group.cases), told(group.place), f"{low} to {high}", *ratio_cells(ratio))


def _row(judged: Judged) -> tuple[str, ...]:
    cell, place = judged.cell, judged.place
    unit = units.common([cell.mean_s, *(place.band if place else ())], units.SECONDS)
    theirs = "+".join(str(len(each.step_s)) for each in judged.references)
    return (
        plain(cell.case.workload),
        plain(cell.title),
        plain(cell.setting),
        told(place) if place else judged.verdict,
        units.with_unit(cell.mean_s, unit),
        f"{unit(place.band[0])} to {unit(place.band[1])} {unit.name}" if place else units.NONE,
        *ratio_cells(place and place.ratio)[:2],
        f"{len(cell.step_s)} / {theirs}" if theirs else str(len(cell.step_s)),
    )


def told(place: Position) -> str:
    """Return a verdict with how much it is about: the part of the published time that is added or saved."""
    return place.verdict if place.verdict == "within" else f"{place.verdict} by {units.away(place.ratio.value)}"


def _reasons(found: Verification) -> str:
    """Return why cases have no verdict: each reason once, with those it holds for."""
    reasons = collected((f"{each.verdict}: {each.reason}", each.cell.name) for each in found.cases if each.reason)
    return "\n".join(f"  {plain(reason)}\n    {plain(named(names))}" for reason, names in reasons.items())


def named(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    more = f"; and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return "; ".join(plain(name) for name in names[:MOST_NAMED]) + more


def _meaning(found: Verification) -> str:
    """Return how far the bands reach, or how to publish the first numbers of such a machine."""
    places = [each.place for each in found.cases if each.place]
    if not places:
        return CONTRIBUTE if found.exit_code == 0 else ""
    reach = [math.sqrt(place.band[1] / place.band[0]) for place in places]
    return (
        "A band is where a new campaign lies on a machine as fast as those published, in 99 of 100 verifications for\n"
        f"all verdicts together. {units.away(HOSTS)} of it is for hosts of one kind, which differ. Those of cases "
        f"reach {units.away(min(reach))} to {units.away(max(reach))}\nto either side: what is slower by less is "
        "not seen. More rounds narrow them: nox -s verify -- --budget 20m"
    )


def _causes(found: Verification) -> str:
    causes = hints(found)
    if not causes:
        return "Nothing in the records hints at a cause." if found.slower else ""
    title = "Likely causes, and what they rest on:" if found.slower else "Worth a look:"
    return "\n".join([title, *(f"  - {plain(hint)}" for hint in causes)])


def _place(place: Position) -> dict[str, object]:
    return {"verdict": place.verdict, "to_published": place.ratio[:3], "band_s": place.band}


def _case(judged: Judged) -> dict[str, object]:
    cell, beside = judged.cell, judged.beside
    return {
        "case": cell.case._asdict(),
        "label": [cell.case.workload, cell.title, cell.setting],
        "verdict": judged.verdict,
        "reason": judged.reason,
        "must_agree": _must_agree(cell),
        "rounds": len(cell.step_s),
        "round_s": cell.step_s,
        "step_s": cell.mean_s,
        **(_place(judged.place) if judged.place else {}),
        "campaigns": [each.campaign.name for each in judged.references],
        "beside": beside and {"campaign": beside.cell.campaign.name, "differs": beside.differs,
                              "to_published": beside.ratio[:3]},
    }  # fmt: skip


def _must_agree(cell: CaseTimes) -> dict[str, object]:
    """Return what must be the same on two hosts whose times of a case are compared."""
    bench, is_gpu = cell.campaign.bench, cell.case.device == "gpu"
    return {
        "hardware": hardware(bench.machine, cell.case.device),
        "threads": None if is_gpu else bench.threads,
        "versions": ", ".join(cell.loaded),
        "model file": cell.measured.code,
        "measured": "in turns" if cell.measured.in_turns else "alone",
    }
