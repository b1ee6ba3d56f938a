"""The generated part of the home page: one sentence, and one table and one figure of the same numbers."""

import itertools

from analysis import kinds, units
from analysis.estimate import standing
from analysis.found import Found
from analysis.kinds import Row
from analysis.site import links, template
from analysis.site.pages import NOTHING, figures, newer_releases, slow_down
from analysis.text import html
from bench import registry


def page(found: Found) -> str:
    """Return the home page's fragment."""
    rows = kinds.grid(found)
    if not rows:
        return str(NOTHING)
    families = sorted({family for row in rows for family in row.ranges}, key=standing.place)
    return template.render(
        "home.md",
        headline=headline(rows),
        caption=_caption(found, rows),
        header=["network", *families],
        rows=[[_label(row), *(slow_down(row, family) for family in families)] for row in rows],
        date=max(campaign.day for campaign in found.results.shown),
        versions=units.listing(_versions(families)),
        newer=newer_releases(found, itertools.product(found.results.machines, registry.environments())),
        data=links.data("", "cells.csv"),
        figure=figures(found, "home", ""),
    )


def headline(rows: list[Row]) -> str:
    """Return the fastest family for each kind of network, and whether one family leads everywhere."""
    everywhere = sorted(set.intersection(*(set(kinds.on_all(row)) for row in rows)))
    opening = f"{units.listing(everywhere)} leads" if everywhere else "No framework is fastest"
    clauses = {device: kinds.headline(rows, device) for device in kinds.DEVICES.values()}
    return " ".join([f"{opening} everywhere.", *(f"On {device}s, {text}." for device, text in clauses.items() if text)])


def _caption(found: Found, rows: list[Row]) -> str:
    machines = {name for row in rows for name in row.leaders}
    named = "; ".join(name for machine, name in found.names.items() if machine in machines)
    precisions = units.listing(sorted({name for row in rows for name in row.precisions}))
    return (
        "Slow-down against the fastest in a training step: geometric mean over networks, range over machines. "
        f"Machines: {named}. "
        f"Default settings, {precisions}, usual batch sizes and threads."
    )


def _label(row: Row) -> html.Markup:
    networks = max(len(span.networks) for span in row.ranges.values())
    return html.join([f"{row.device}: {row.kind}", html.element("small", units.count(networks, "network"))])


def _versions(families: list[str]) -> list[str]:
    """Return the versions measured by default, of the families that are shown; Keras once for all backends."""
    titles = [environment.title for environment in registry.environments().values() if environment.is_default]
    return sorted({title.split(",")[0].split(" on ")[0] for title in titles if standing.family(title) in families})
