"""The generated part of the home page: one sentence, and one table and one figure of the same numbers."""

from analysis import kinds, units
from analysis.estimate import standing
from analysis.found import Found
from analysis.kinds import Row
from analysis.site import links, template
from analysis.site.pages import NOTHING, figures, releases_of
from analysis.text import html, slowdown
from bench import registry


def page(found: Found) -> str:
    """Return the home page's fragment."""
    rows = kinds.grid(found)
    if not rows:
        return str(NOTHING)
    names = sorted({name for row in rows for name in row.ranges}, key=standing.place)
    return template.render(
        "home.md",
        headline=headline(rows),
        caption=_caption(found, rows),
        header=["network", *names],
        rows=[[_label(row), *(_cell(row, name) for name in names)] for row in rows],
        date=max(each.day for each in found.results.shown),
        versions=units.listing(_versions(names)),
        newer=_newer(found),
        data=links.data("", "cells.csv"),
        figure=figures(found, "home", ""),
    )


def headline(rows: list[Row]) -> str:
    """Return who leads which kind of network, and whether one family leads everywhere."""
    everywhere = set.intersection(*(set(kinds.on_all(row)) for row in rows))
    opening = (
        f"{units.listing(sorted(everywhere))} leads everywhere."
        if everywhere
        else "No framework is fastest everywhere."
    )
    told = [f"On {device}s, {clause}." for device in kinds.DEVICES.values() if (clause := kinds.headline(rows, device))]
    return " ".join([opening, *told])


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
    networks = max((own.networks for own in row.ranges.values()), key=len)
    return html.join([f"{row.device}: {row.kind}", html.element("small", units.count(len(networks), "network"))])


def _cell(row: Row, name: str) -> str:
    own = row.ranges.get(name)
    if own is None:
        return units.NONE
    told = slowdown.among(own.low, own.high)
    return html.element("b", told) if name in kinds.on_all(row) else told


def _newer(found: Found) -> str:
    """Return the newest releases of what was measured in older ones."""
    own = [each for machine in found.results.machines for name in registry.environments()
           for each in found.newer(machine, name)]  # fmt: skip
    return releases_of(own)


def _versions(names: list[str]) -> list[str]:
    """Return what is measured by default, of the families that are shown; Keras once, whatever it runs on."""
    known = [each.title for each in registry.environments().values() if each.is_default]
    return sorted({title.split(",")[0].split(" on ")[0] for title in known if standing.family(title) in names})
