"""Is one of several hosts slower than the others? Compares the files that `nox -s verify -- --json` wrote on each host.

A row of the table is a case, an environment, or the whole. The last two are geometric means over cases within each
round. A ratio is a host's time over the median of the hosts; of two hosts, over the faster one. A host is an outlier in
a row if it is further from the median than the limit. The limit is the sum of two parts, in logarithms:

- three robust standard deviations of the hosts (1.4826 times the median distance), but at least HOSTS and at most FAR
- the half-width that the rounds leave open (bands.half_widths), by Bonferroni for all rows and hosts.
"""

import json
import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec

from analysis import units
from analysis.groups import collected, grouped
from analysis.stats.interval import CONFIDENCE, MIN_ROUNDS, exp, geometric_mean
from analysis.units import plain
from analysis.verify.bands import HOSTS, WHOLE, half_widths, together
from analysis.verify.report import named
from bench.errors import RecordError
from bench.units import aligned

WRITE = "nox -s verify -- --json > HOST.json"
FAR = 1.10  # the first part of the limit is not wider, even if half of the hosts are slow
DEVIATIONS = 3 * 1.4826
TOGETHER = "together"  # the first column of environments and of the whole

Label = tuple[str, str, str]  # workload, environment and setting


class Measured(msgspec.Struct):
    """One case of a host."""

    case: dict[str, str | int]
    label: Label
    reason: str | None
    must_agree: dict[str, str | int | None]
    round_s: dict[int, Annotated[float, msgspec.Meta(gt=0)]]  # by round


class Host(msgspec.Struct):
    """The part of a host's file that is compared."""

    cases: list[Measured]
    node: int | None = None


class Row(NamedTuple):
    """The times of a case, or of several together, by host and round, in seconds."""

    label: Label
    round_s: Mapping[str, Mapping[int, float]]


class Place(NamedTuple):
    """Where a host lies in a row: its ratio to the median, and the ratio beyond which it is an outlier."""

    ratio: float
    limit: float

    @property
    def is_outlier(self) -> bool:
        """Whether the host is further from the median than the limit, on either side."""
        return max(self.ratio, 1 / self.ratio) > self.limit

    def __str__(self) -> str:
        """Return how far the host is from the median, in words."""
        return f"{'slower' if self.ratio > 1 else 'faster'} by {units.away(self.ratio)}"


class Comparison(NamedTuple):
    """Several hosts side by side."""

    hosts: Sequence[str]
    rows: Sequence[tuple[Row, Mapping[str, Place]]]
    left_out: Mapping[str, Sequence[str]]  # host and reason -> cases

    @property
    def outliers(self) -> dict[str, list[str]]:
        """The outliers, each with its rows in words: the whole and environments first."""
        places = [(host, row.label, place) for row, own in reversed(self.rows) for host, place in own.items()]
        return collected((host, f"{_name(label)} {place}") for host, label, place in places if place.is_outlier)

    @property
    def not_compared(self) -> list[str]:
        """The hosts that share no case with another one."""
        return [host for host in self.hosts if not any(host in places for _, places in self.rows)]

    @property
    def exit_code(self) -> int:
        """Return 1 if a host is an outlier, 2 if nothing of some host can be compared, otherwise 0."""
        return 1 if self.outliers else 2 if self.not_compared else 0


def _name(label: Label) -> str:
    return label[1] if label[0] == TOGETHER else ", ".join(label)


def read(paths: Sequence[Path]) -> dict[str, Host]:
    """Return the hosts by the numbers of their nodes, or by the names of their files if one has none.

    Raises RecordError if a file is not of `verify --json`.
    """
    hosts = {path: _read(path) for path in paths}
    names = (
        {path: f"node {host.node}" for path, host in hosts.items() if host.node},
        {path: path.stem for path in hosts},
        {path: str(path) for path in hosts},
    )
    distinct = next(own for own in names if len(set(own.values())) == len(hosts))
    found = {distinct[path]: host for path, host in hosts.items()}
    if len(found) < 2:
        raise RecordError(f"A comparison needs the files of two hosts or more. Write one on each: {WRITE}")
    return found


def _read(path: Path) -> Host:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Host)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        problem = getattr(error, "strerror", error)
        what = f"{path}: expected the JSON of a verification with the times of each round, but {problem}."
        raise RecordError(f"{what} Write it on that host: {WRITE}") from None


def compare(hosts: Mapping[str, Host]) -> Comparison:
    """Compare the cases that hosts measured alike."""
    known = collected((_key(each.case), (name, each)) for name, host in hosts.items() for each in host.cases)
    left_out = list[tuple[str, str]]()
    rows = [row for pairs in known.values() if (row := _row(dict(pairs), list(hosts), left_out))]
    titles = grouped(rows, lambda row: row.label[1])
    several = {title: own for title, own in titles.items() if len(own) > 1} | ({WHOLE: rows} if len(titles) > 1 else {})
    rows += [row for title, own in several.items() if (row := _group(title, own))]
    confidence = 1 - (1 - CONFIDENCE) / max(1, sum(len(row.round_s) for row in rows))
    return Comparison(list(hosts), [(row, _places(row, confidence)) for row in rows], collected(left_out))


def _key(values: Mapping[str, object]) -> str:
    return json.dumps(values, sort_keys=True)


def _row(cases: Mapping[str, Measured], hosts: Sequence[str], left_out: list[tuple[str, str]]) -> Row | None:
    """Return the row of a case: the hosts that agree with most others; the reasons of the others go to `left_out`."""
    timed = {host: each for host, each in cases.items() if len(each.round_s) >= MIN_ROUNDS}
    counts = Counter(_key(each.must_agree) for each in timed.values())
    usual = json.loads(counts.most_common(1)[0][0]) if counts else {}
    label = next(iter(cases.values())).label
    left_out += [(f"{host}: {why}", _name(label)) for host in hosts if (why := _why_not(cases.get(host), usual))]
    alike = {host: each.round_s for host, each in timed.items() if each.must_agree == usual}
    return Row(label, alike) if len(alike) > 1 else None


def _why_not(measured: Measured | None, usual: Mapping[str, object]) -> str:
    """Return why a host is not compared in a row; empty if it is."""
    if not measured:
        return "its file has no such case"
    if len(measured.round_s) < MIN_ROUNDS:
        few = f"{units.count(len(measured.round_s), 'round')} with a time; a comparison needs {MIN_ROUNDS}"
        return few if measured.round_s else f"not measured: {measured.reason}"
    here = ((name, value, measured.must_agree.get(name)) for name, value in usual.items())
    return "; ".join(f"{name}: {own}, elsewhere {value}" for name, value, own in here if own != value)


def _group(title: str, rows: Sequence[Row]) -> Row | None:
    """Return the mean over the rows that hold more than half of the hosts, for the hosts that are in all of them."""
    most = max(len(row.round_s) for row in rows)
    full = [row.round_s for row in rows if 2 * len(row.round_s) > most]
    means = {host: together([row[host] for row in full]) for host in full[0] if all(host in row for row in full)}
    enough = {host: mean for host, mean in means.items() if len(mean) >= MIN_ROUNDS}
    return Row((TOGETHER, title, units.count(len(full), "case")), enough) if len(enough) > 1 < len(full) else None


def _places(row: Row, confidence: float) -> dict[str, Place]:
    """Say where each host lies in a row."""
    times = {host: list(step_s.values()) for host, step_s in row.round_s.items()}
    logs = {host: math.log(geometric_mean(own)) for host, own in times.items()}
    is_pair = len(logs) == 2
    centre = min(logs.values()) if is_pair else statistics.median(logs.values())
    spread = 0.0 if is_pair else statistics.median(abs(log - centre) for log in logs.values())
    limit = min(max(math.log(HOSTS), DEVIATIONS * spread), math.log(FAR))
    widths = (max(half_widths(times[host], [times[other] for other in logs if other != host], confidence))
              for host in logs)  # fmt: skip
    return {host: Place(exp(logs[host] - centre), exp(limit + width)) for host, width in zip(logs, widths, strict=True)}


def text(found: Comparison) -> str:
    """Return the table, what was left out and why, the outliers, and the answer as the last line."""
    header = ("workload", "environment", "setting", *found.hosts, "limit")
    rows = [(*row.label, *_ratios(found.hosts, places)) for row, places in found.rows]
    table = aligned([list(map(plain, cells)) for cells in (header, *rows)], units.LEFT)
    about = "Ratios are to the median of the hosts; of two hosts, to the faster one. * is an outlier: beyond the limit."
    left_out = [f"{plain(reason)}\n  {named(cases)}" for reason, cases in found.left_out.items()]
    outliers = [f"Outlier: {plain(host)}. {named(rows)}." for host, rows in found.outliers.items()]
    return "\n".join([*([*table, "", about] if rows else []), *left_out, *outliers, _answer(found)])


def _ratios(hosts: Sequence[str], places: Mapping[str, Place]) -> list[str]:
    """Return a row's ratios by host, and the widest limit."""
    shown = {host: units.factor(place.ratio) + " *" * place.is_outlier for host, place in places.items()}
    return [*(shown.get(host, units.NONE) for host in hosts), units.away(max(place.limit for place in places.values()))]


def _answer(found: Comparison) -> str:
    given = units.count(len(found.hosts), "host")
    if found.outliers:
        return f"Not alike: {units.listing(map(plain, found.outliers))} of {given}."
    if found.not_compared:
        return f"No answer: nothing of {units.listing(map(plain, found.not_compared))} can be compared."
    ratios = [place.ratio for _, places in found.rows for place in places.values()]
    return f"Alike: {given}, ratios {units.factor(min(ratios))} to {units.factor(max(ratios))}, none beyond its limit."
