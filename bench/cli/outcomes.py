"""What `check` says of one thing: a row of its table."""

from typing import NamedTuple

OK, WARNING, BROKE = "ok", "warning", "BROKE"
UNSUPPORTED = "unsupported"  # the status of what a framework cannot do, and says so: no mistake


class Row(NamedTuple):
    """What was looked at, in what, the outcome, and what was found: where it broke, what to do."""

    what: str
    of: str
    outcome: str
    found: str
