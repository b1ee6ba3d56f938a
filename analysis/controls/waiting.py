"""A step that is not waited for is noticed

Passes when, in every environment, each way to leave out the wait breaks the adapter's contract. Nothing may be broken
when nothing is left out.

The wait of every adapter is replaced on purpose: by a constant, by the number of the step before, and by the handle
that the step returned. Where a step returns the number itself, it has waited already, and there is no handle to return
instead.
"""

import pandas as pd

from analysis import controls
from analysis.controls import Control, Line, evidence

ORDER = 6
MEASURED = "waiting"
ABOUT = ("environment", "sabotage")
NOTHING = "nothing"


def judge(lines: list[Line]) -> Control:
    """Judge each environment with each sabotage, and without one."""
    asked = controls.answers(lines)
    done = [line for line in asked if line["status"] != "unsupported"]
    if not done:
        return Control(None, "No environment was asked.")
    sabotaged = [is_right(line) for line in done if line["about"]["sabotage"] != NOTHING]
    untouched = [is_right(line) for line in done if line["about"]["sabotage"] == NOTHING]
    finding = (
        f"{sabotaged.count(True)} of {len(sabotaged)} sabotaged waits are noticed; {untouched.count(True)} of "
        f"{len(untouched)} adapters to which nothing was done keep the contract."
    )
    return Control(controls.all_of([*sabotaged, *untouched]), finding, _table(lines, asked))


def is_right(line: Line) -> bool | None:
    """Say whether the contract is broken where something was done, and is not where nothing was; None: not measured."""
    if line["status"] != "ok":
        return None
    is_caught, is_sabotaged = bool(line["about"].get("caught_by")), bool(line["about"]["sabotage"] != NOTHING)
    return is_caught == is_sabotaged


def _table(lines: list[Line], asked: list[Line]) -> pd.DataFrame:
    names = controls.titles(lines)
    rows = [
        (names.get(line["about"]["environment"], line["about"]["environment"]), line["about"]["sabotage"],
         *_found(line))
        for line in asked
    ]  # fmt: skip
    return evidence(rows, "environment", "wait replaced by", "noticed by", "verdict")


def _found(line: Line) -> tuple[str, str]:
    if line["status"] == "unsupported":
        return str(line["reason"]), controls.NOT_APPLICABLE
    caught = line["about"].get("caught_by", f"{line['status']}: {line['reason']}")
    return caught.replace("_", " ") or "nothing", controls.VERDICTS[is_right(line)]
