"""The table of releases: the time of each release of a series, and its change from the release before."""

from collections.abc import Iterator

from analysis.data.schema import ASKED, Column, Row, Table, asked, bounded, count, flag
from analysis.found import Found


def _rows(found: Found) -> Iterator[Row]:
    for track in found.history:
        for point in track.points:
            yield {"track": track, "point": point, "row": point.release.row, "change": point.change}


TABLE = Table("history.csv", "Every release of each series: its time, and its change from the release before.", [
    "machine", "workload", "task", "batch_size", "optimizer", "precision", "device", "threads", "tier", "data",
    "series", "version",
], [
    *asked("track.question", ASKED),
    Column("series", "name of the series of releases", "track.series.name"),
    Column("package", "package whose releases these are", "track.series.package"),
    Column("version", "its version", "point.release.version"),
    Column("released", "month of the release", "row.released"),
    Column("title", "name in tables", "row.title"),
    Column("python", "versions of Python that the row may use", lambda row: ", ".join(row["row"].python)),
    Column("packages", "pins, on a CPU", lambda row: [*row["row"].packages, *row["row"].cpu]),
    Column("mode", "mode, the documented one", "point.cell.row.1"),
    *bounded("step_s", "seconds per step", "point.cell.time", "s"),
    count("rounds", "rounds with a time", "point.cell.rounds"),
    *bounded("ratio", "time over that of the release before", "change.ratio"),
    flag("is_changed", "whether the ratio is significant, adjusted over neighbouring releases", "point.is_changed"),
    Column("status", "ok, or why there is no time", "point.cell.status"),
    Column("reason", "why there is no time, in words", "point.cell.reason"),
], _rows)  # fmt: skip
