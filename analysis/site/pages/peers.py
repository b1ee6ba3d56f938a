"""The table of the page "Other timing tools", which compares `versus` with other timing tools."""

from collections.abc import Iterator, Sequence

from analysis import units
from analysis.compare.peers import Measured, Row, Share
from analysis.found import Found
from analysis.site import template


def page(found: Found) -> str:
    """Return the fragment: a table for each machine and kind of programs, or that there are no results."""
    return template.render("peers.html", tables=[_table(found, measured) for measured in found.peers])


def _table(found: Found, measured: Measured) -> tuple[str, list[str], list[list[str]], str]:
    """Return caption, header, rows, and which tools are best at what."""
    truths = sorted({truth for row in measured.rows for truth in row.own})
    rules = [(truth, is_own) for truth in truths for is_own in (True, False)]
    header = ["tool", *(_head(*rule) for rule in rules), "error of the ratio", "seconds"]
    first, last = measured.days
    days = first if first == last else f"{first} to {last}"
    caption = (
        f"{found.names.get(measured.machine, measured.cpu)}, programs in {measured.kind}, one thread, {days}: how many "
        "pairs were reported as different, with the 99 % interval of the probability"
    )
    return caption, header, [list(_cells(row, rules)) for row in measured.rows], best(measured.rows)


def best(rows: Sequence[Row]) -> str:
    """Return which tool has the smallest error, which is done first, and which have no false alarm."""
    rows = [row for row in rows if row.own]  # it measured at least once
    if not rows:
        return ""
    exact, fast = min(rows, key=lambda row: row.error), min(rows, key=lambda row: row.seconds)
    silent = [row.tool for row in rows if row.own.get(1.0) and not row.own[1.0].reported]
    return (
        f"{exact.tool} has the smallest error, {100 * exact.error:.2g} % in {exact.seconds:.0f} s. {fast.tool} is done "
        f"first, after {fast.seconds:.0f} s. No false alarm by their own rules: "
        f"{units.listing(silent) or 'none of them'}."
    )


def _head(truth: float, is_own: bool) -> str:
    rule = "own rule" if is_own else "Welch's test, p < 0.01"
    return f"false alarms ({rule})" if truth == 1 else f"finds {100 * (truth - 1):.0f} % ({rule})"


def _cells(row: Row, rules: Sequence[tuple[float, bool]]) -> Iterator[str]:
    yield f"{row.tool} {', '.join(row.versions)}" if row.tool != "versus" else row.tool
    for truth, is_own in rules:
        yield _share((row.own if is_own else row.shared).get(truth))
    failed = f", {row.failed} failed" if row.failed else ""
    yield f"{100 * row.error:.2g} %"
    yield f"{row.seconds:.0f}{failed}"


def _share(share: Share | None) -> str:
    if share is None:
        return "not applicable"
    return f"{share.reported} of {share.of} ({100 * share.low:.0f} to {100 * share.high:.0f} %)"
