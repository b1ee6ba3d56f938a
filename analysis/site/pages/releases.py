"""The history of releases on the page "Release history": a table for each series, and a figure for each workload."""

from collections.abc import Sequence

from analysis import series, units
from analysis.compare.history import Point, Track
from analysis.found import Found
from analysis.groups import grouped
from analysis.site import template
from analysis.site.pages import figures, with_bounds
from analysis.text import sentences

ROOT = "../"
Table = tuple[str, str, list[str], list[list[object]]]  # anchor, caption, header, rows


def page(found: Found) -> str:
    """Return the fragment: the newest release first, with its time over the next older one's, where that changed."""
    tracks = grouped(found.history, lambda track: (track.question.machine, track.series.name))
    pictures = [figures(found, f"releases/{name}", ROOT) for name in series.WORKLOADS]
    return template.render("releases.html", series=[_table(found, own) for own in tracks.values()], figures=pictures)


def _table(found: Found, tracks: Sequence[Track]) -> Table:
    first = tracks[0]
    rows = {point.release.version: point.release for track in tracks for point in track.points}
    caption = (
        f"{first.series.title}: time per step, and change from the release before, on "
        f"{found.names.get(first.question.machine, first.question.machine)}, {sentences.precision(first.question)}, "
        f"{units.count(first.question.threads, 'thread')}"
    )
    header = [first.series.package, "released", *(units.workload_title(track.question.workload) for track in tracks)]
    points = [{point.release.version: point for point in track.points} for track in tracks]
    body = [[version, release.row.released, *(_cell(own.get(version)) for own in points)]
            for version, release in reversed(rows.items())]  # fmt: skip
    return first.series.name, caption, header, body


def _cell(point: Point | None) -> object:
    """Return a release's time and, if it changed significantly, by how much."""
    if point is None or point.cell.time is None:
        return units.NONE if point is None else _why(point)
    time = units.seconds(point.cell.time.value)
    if point.change is None or not point.is_changed:
        return time
    return with_bounds(sentences.significant(point.change.ratio, point.change.ratio.value > 1), time)


def _why(point: Point) -> str:
    return f"not measured: {point.cell.status.replace('_', ' ')}"
