"""Addresses within the site, one place for each; `root` leads from a page to the site's top, as in "../../"."""

from urllib.parse import urlencode


def results(root: str, **filters: str) -> str:
    """Return the address of the Results table with filters set, by the names of its columns."""
    query = urlencode(sorted(filters.items()))
    return f"{root}results/{query and f'#{query}'}"


def data(root: str, name: str) -> str:
    """Return the address of a data file of docs/generated/data."""
    return f"{root}generated/data/{name}"


def workload(root: str, name: str) -> str:
    """Return the address of a workload's page."""
    return f"{root}generated/workloads/{name}/"


def machine(root: str, name: str) -> str:
    """Return the address of a machine's page, by the name that is part of its file's."""
    return f"{root}generated/machines/{name}/"


def compare(root: str, first: str, second: str) -> str:
    """Return the address of the comparison of two sets, by their names."""
    return f"{root}compare/#{urlencode({'base': first, 'with': second})}"
