"""Two competitors that need nothing but NumPy, and what a bench has written of its runs."""

from bench.cases import Selection, select
from bench.results import records


def plain(*environments, frameworks):
    """Return a case of each environment, of one question."""
    return select(Selection(workloads=["mnist_mlp"], modes=["plain"]), dict.fromkeys(environments, "cpu"), frameworks)


def runs(bench):
    """Return the lines of runs of a bench's one campaign."""
    (path,) = bench.results.glob("*.jsonl")
    return [line for line in records.read(str(path)) if line.kind == "run"]
