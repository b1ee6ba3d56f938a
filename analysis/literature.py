"""What others published, read from analysis/published. Standard library only: each build of the site asks for it."""

import csv
from pathlib import Path
from typing import NamedTuple

from analysis import inputs

FOLDER = inputs.ROOT / "analysis" / "published"
OTHERS = {  # sources that this site has not as an article, and where they are
    "DLPerf, test report 1.0 (2020)":
        "https://github.com/Oneflow-Inc/DLPerf/blob/master/reports/dlperf_benchmark_test_report_v1.md",
    "Horovod, benchmarks (2018)": "https://github.com/horovod/horovod/blob/master/docs/benchmarks.rst",
}  # fmt: skip


class Figure(NamedTuple):
    """One published number; `value` is as printed, and empty where the source has none."""

    source: str
    table: str
    workload: str
    framework: str
    hardware: str
    metric: str
    value: str
    unit: str
    note: str


class Claim(NamedTuple):
    """One claim, the test that would decide it here, and what the source found; README.md there says each column."""

    source: str
    id: str
    topic: str  # the question under which the Lessons page lists it
    claim: str
    test: str
    value_then: str
    contrast: str  # two sides that differ in one thing; empty where a lesson's file finds them, or none can yet
    expected: str  # of the ratio, as "> 1.25"
    where: str  # of which cells it is claimed
    device: str  # "gpu" of a claim about a GPU, which no comparison on a CPU decides; else empty
    cause: str  # what explains it: a key of [differs] in framework.toml; empty where nothing does
    needs: str  # what is missing here to judge it; empty where nothing is
    if_so: str  # what to do where a comparison is as claimed
    if_not: str  # what to do where one is contrary


def figures(source: str | None = None) -> list[Figure]:
    """Return a source's numbers, or those of all of them, in the order of the file."""
    known = (Figure(**row) for row in rows(FOLDER / "figures.csv"))
    return [row for row in known if source in (None, row.source)]


def claims() -> list[Claim]:
    """Return every claim in the order of the file."""
    return [Claim(**row) for row in rows(FOLDER / "claims.csv")]


def rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a file of analysis/published by the names of its columns."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
