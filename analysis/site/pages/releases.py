"""The page "Release history": a table of the releases in which a time changed, and a figure for each workload."""

from collections.abc import Iterator, Sequence

from analysis import series, units
from analysis.compare.history import Point, Track
from analysis.found import Found
from analysis.groups import grouped
from analysis.site import template
from analysis.site.pages import figures
from analysis.text import html, sentences

ROOT = "../"
Table = tuple[str, list[str], list[list[str]]]  # caption, header, rows


def page(found: Found) -> str:
    """Return the fragment: of each series, its newest times, then the releases in which a time changed."""
    tables = grouped(found.history, lambda track: (track.question.machine, track.question.threads))
    pictures = [figures(found, f"releases/{name}", ROOT) for name in series.WORKLOADS]
    return template.render("releases.html", tables=[_table(found, own) for own in tables.values()], figures=pictures)


def _table(found: Found, tracks: Sequence[Track]) -> Table:
    question = tracks[0].question
    caption = (
        f"Releases that changed a time per step, on {found.names.get(question.machine, question.machine)}, "
        f"{sentences.precision(question)}, {units.count(question.threads, 'thread')}"
    )
    networks = list(dict.fromkeys(track.question.workload for track in tracks))
    rows = [row for own in grouped(tracks, lambda track: track.series.name).values() for row in _rows(own, networks)]
    return caption, ["release", *map(units.workload_title, networks)], rows


def _rows(tracks: Sequence[Track], networks: Sequence[str]) -> Iterator[list[str]]:
    """Yield a series' newest times, and its releases with a change, the newest first."""
    known = {track.question.workload: track for track in tracks}
    name = html.element("span", f"{tracks[0].series.title} now", id=tracks[0].series.name)  # where links lead to
    yield [name, *(_now(known.get(network)) for network in networks)]
    releases = {point.release.version: point.release for track in tracks for point in track.points}
    cell_of = {(track.question.workload, point.release.version): _cell(point)
               for track in tracks for point in track.points}  # fmt: skip
    for version, release in sorted(releases.items(), key=lambda item: item[1].row.released, reverse=True):
        cells = [cell_of.get((network, version), "") for network in networks]
        if any(cells):
            yield [f"{version}, {release.row.released}", *cells]


def _now(track: Track | None) -> str:
    times = [time for _, time in track.timed] if track else []
    return units.seconds(times[-1].value) if times else ""


def _cell(point: Point) -> str:
    """Return by how much a release changed a time significantly, or why it has none; empty if it changed nothing."""
    if point.cell.status == "unsupported":
        return ""
    if point.cell.time is None:
        return point.cell.status.replace("_", " ")
    if point.change is None or not point.is_changed:
        return ""
    return sentences.significant(point.change.ratio, point.change.ratio.value > 1)
