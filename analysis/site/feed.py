"""The Atom feed: published versions, and campaigns in which a time changed significantly. It needs SITE_URL."""

import json
import math
import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote

from analysis import units
from analysis.compare import unpaired
from analysis.compare.unpaired import CAMPAIGNS, Compared, Set, Unpaired
from analysis.found import Found
from analysis.site import template
from analysis.site.catalogue import FEED
from analysis.stats.interval import Interval
from analysis.text import machines, sentences

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
    entries = sorted([*published(), *changes(found.compared, _names(found))], key=lambda each: each.updated)[::-1][
        :MOST
    ]
    if not (site and entries):
        return {}
    return {FEED: template.render("feed.xml", site=f"{site}/", entries=entries)}


def published() -> list[Entry]:
    """Return an entry for each published version, with the one that is built, as PUBLISHED_VERSIONS states them."""
    known = json.loads(os.environ.get("PUBLISHED_VERSIONS") or "[]")
    return [Entry(f"version/{name}", f"Version {title} is published", updated, f"{name}/", ())
            for name, title, updated in known]  # fmt: skip


def changes(compared: Compared, names: dict[str, str]) -> Iterator[Entry]:
    """Yield an entry for each campaign in which a time differs significantly from an earlier campaign's.

    `names` are the machines' short names. Each case is compared with the newest earlier campaign that has it.
    """
    for later in compared.sets.get(CAMPAIGNS, ()):
        rows = _changed(compared, later)
        if rows:
            campaign = later.campaigns[-1]
            title = f"{units.count(len(rows), 'time')} changed significantly on {names[later.machine]}"
            more = [f"{len(rows) - MOST_ROWS} more"] if len(rows) > MOST_ROWS else []
            lines = [*(_told(*row) for row in rows[:MOST_ROWS]), *more]
            yield Entry(f"campaign/{quote(later.name)}", title, campaign.began, "latest/changes/", lines)


def _changed(compared: Compared, later: Set) -> list[tuple[Unpaired, Interval]]:
    """Return the newest comparison of each case of a campaign with an earlier one, where the two differ."""
    newest: dict[str, tuple[str, Unpaired, Interval]] = {}
    for comparison in compared.of(CAMPAIGNS):
        if comparison.second.name == later.name:
            began = comparison.first.campaigns[-1].began
            for row in comparison.rows:
                key = repr(row.second.case)
                if row.ratio and _is_same_question(row) and began > (newest[key][0] if key in newest else ""):
                    newest[key] = began, row, row.ratio
    found = [(row, ratio) for _, row, ratio in newest.values() if sentences.beside(ratio, row.claim) in CHANGED]
    return sorted(found, key=lambda each: abs(math.log(each[1].value)), reverse=True)


def _is_same_question(row: Unpaired) -> bool:
    """Say whether both times answer one question: with another number of threads, nothing has changed."""
    return unpaired.question_of(row.first) == unpaired.question_of(row.second)


def _told(row: Unpaired, ratio: Interval) -> str:
    """Return a change in a sentence, with its interval."""
    about = f"{units.workload_title(row.second.case.workload)}, {row.second.title}, {row.second.case.mode}"
    bounds = f"{units.factor(ratio.low)} to {units.factor(ratio.high)}" if ratio.low and ratio.high else "few rounds"
    why = f"; also different: {', '.join(row.differs)}" if row.differs else ""
    asked = sentences.short(unpaired.question_of(row.second))
    return f"{about} ({asked}): {units.factor(ratio.value)} times the earlier time ({bounds}){why}"


def _names(found: Found) -> dict[str, str]:
    records = {name: campaign.bench["machine"] for name, campaign in found.results.campaigns.items()}
    return machines.short_names(records)
