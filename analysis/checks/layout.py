"""What lies where: names of files and folders, links, sizes, and nothing that results do not hold."""

from collections.abc import Iterator

from analysis.checks import MOST_BYTES, Finding, Given, place_problem

ORDER = 1


def check(given: Given) -> Iterator[Finding]:
    """Check every path."""
    for path in given.paths:
        if problem := place_problem(path, given.results):
            yield given.finding(path, problem, "rename it, move it or take it out (results/README.md has the places)")
        elif (size := path.stat().st_size) > (most := MOST_BYTES.get(path.suffix, MOST_BYTES[".jsonl"])):
            problem = f"expected at most {most:,} bytes, got {size:,}"
            yield given.finding(path, problem, "measure some workloads at a time (--workload), a campaign each")
