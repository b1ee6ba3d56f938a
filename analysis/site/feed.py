"""The Atom feed: published versions, new environments, and significant changes of times. It needs SITE_URL."""

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote

from analysis import releases, units
from analysis.compare import history, unpaired
from analysis.compare.history import Track
from analysis.compare.unpaired import CAMPAIGNS, Compared, Set, Unpaired
from analysis.found import Found
from analysis.groups import grouped
from analysis.site import template
from analysis.site.configuration import FEED
from analysis.stats.interval import Interval
from analysis.text import sentences
from bench import registry

MOST = 30  # entries
MOST_ROWS = 10  # of one campaign
CHANGED = ("longer", "shorter")


class Entry(NamedTuple):
    """One entry. `key` is unique and never changes; `page` is an address below the site's."""

    key: str
    title: str
    updated: str  # UTC, as 2026-11-28T12:00:00Z
    page: str
    lines: Sequence[str]


def files(found: Found) -> dict[str, str]:
    """Return the feed by its file name; nothing if the site's address is not known."""
    site = os.environ.get("SITE_URL", "").rstrip("/")
    known = [
        *published(),
        *changes(found.compared, found.names),
        *changed_releases(found.history, found.names),
        *new(found),
    ]
    entries = sorted(known, key=lambda entry: entry.updated)[::-1]
    return {FEED: template.render("feed.xml", site=f"{site}/", entries=entries[:MOST])} if site and entries else {}


def published() -> list[Entry]:
    """Return an entry for each published version, with the one that is built, as PUBLISHED_VERSIONS states them."""
    versions = json.loads(os.environ.get("PUBLISHED_VERSIONS") or "[]")
    return [Entry(f"version/{name}", f"Version {title} is published", updated, f"{name}/", ())
            for name, title, updated in versions]  # fmt: skip


def changes(compared: Compared, names: Mapping[str, str]) -> Iterator[Entry]:
    """Yield an entry for each campaign in which a time differs significantly from an earlier campaign's.

    `names` are the machines' short names. Each case is compared with the newest earlier campaign that has it.
    """
    for later in compared.sets.get(CAMPAIGNS, ()):
        rows = _changed(compared, later)
        if rows:
            title = f"{units.count(len(rows), 'time')} changed significantly on {names[later.machine]}"
            more = [f"{len(rows) - MOST_ROWS} more"] if len(rows) > MOST_ROWS else []
            lines = [*(_sentence(*row) for row in rows[:MOST_ROWS]), *more]
            yield Entry(f"campaign/{quote(later.name)}", title, later.campaigns[-1].began, "latest/changes/", lines)


def changed_releases(tracks: Sequence[Track], names: Mapping[str, str]) -> Iterator[Entry]:
    """Yield an entry for each series of releases and machine in which a time changed significantly."""
    for (machine, name), own in grouped(tracks, lambda each: (each.question.machine, each.series.name)).items():
        if changed := history.changes(own):
            day = max(day for track in own for point in track.points for day in point.cell.days)
            where = f"{own[0].series.title} on {names.get(machine, machine)}"
            title = f"{where}: {units.count(len(changed), 'significant change')} between releases"
            lines = [str(each) for each in changed[:MOST_ROWS]]
            yield Entry(
                f"releases/{quote(machine)}/{name}/{day}", title, f"{day}T00:00:00Z", f"latest/releases/#{name}", lines
            )


def new(found: Found) -> Iterator[Entry]:
    """Yield an entry for each campaign that measured an environment of today for the first time on any machine."""
    seen: set[str] = set()
    for campaign in sorted(found.results.shown, key=lambda each: each.began):
        first = sorted({case.environment for case in campaign.bench.cases} & releases.of_recent_years() - seen)
        seen.update(first)
        if first:
            titles = [registry.environment(name).title for name in first]
            where = found.names[campaign.machine]
            yield Entry(f"new/{quote(campaign.name)}", f"Measured for the first time: {units.listing(titles)}",
                        campaign.began, "latest/", [f"On {where}."])  # fmt: skip


def _changed(compared: Compared, later: Set) -> list[tuple[Unpaired, Interval]]:
    """Return the newest comparison of each case of a campaign with an earlier one, where the two differ.

    With another number of threads, a time answers another question, so nothing has changed.
    """
    earlier = [comparison for comparison in compared.of(CAMPAIGNS) if comparison.second.name == later.name]
    newest = {
        row.second.case: row
        for comparison in sorted(earlier, key=lambda comparison: comparison.first.campaigns[-1].began)
        for row in comparison.rows
        if row.ratio and unpaired.question_of(row.first) == unpaired.question_of(row.second)
    }
    rows = [(row, row.ratio) for row in newest.values()
            if row.ratio and sentences.beside(row.ratio, row.claim) in CHANGED]  # fmt: skip
    return sorted(rows, key=lambda row: abs(math.log(row[1].value)), reverse=True)


def _sentence(row: Unpaired, ratio: Interval) -> str:
    """Return a change in a sentence, with its interval."""
    case, question = row.second.case, sentences.short(unpaired.question_of(row.second))
    subject = f"{units.workload_title(case.workload)}, {row.second.title}, {case.mode} ({question})"
    bounds = f"{units.factor(ratio.low)} to {units.factor(ratio.high)}" if ratio.low and ratio.high else "few rounds"
    others = f"; also different: {', '.join(row.differs)}" if row.differs else ""
    return f"{subject}: {units.factor(ratio.value)} times the earlier time ({bounds}){others}"
