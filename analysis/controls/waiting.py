"""A step that is not waited for is noticed

Passes when, in every environment, each way to leave out the wait breaks the adapter's contract. Nothing may be broken
when nothing is left out.

The wait of every adapter is replaced on purpose: by a constant, by the number of the previous step, and by the step's
own handle. If a step returns the number itself, it has waited already, and there is no handle to return instead.
"""

from analysis import controls
from analysis.controls import Control, evidence
from bench.results.lines import Control as Measured
from bench.results.lines import Line

ORDER = 6
MEASURED = "waiting"
ABOUT = ("environment", "sabotage")
NOTHING = "nothing"


def judge(lines: list[Line]) -> Control:
    """Judge each environment with each sabotage, and without one."""
    asked = controls.answers(lines)
    if all(line.status == "unsupported" for line in asked):
        return Control(None, "No environment was asked.")
    verdicts = [(line.about["sabotage"] != NOTHING, _is_right(line)) for line in asked if line.status != "unsupported"]
    sabotaged, untouched = ([is_right for is_sabotaged, is_right in verdicts if is_sabotaged is wanted]
                            for wanted in (True, False))  # fmt: skip
    finding = (
        f"{sabotaged.count(True)} of {len(sabotaged)} sabotaged waits are noticed; {untouched.count(True)} of "
        f"{len(untouched)} adapters to which nothing was done keep the contract."
    )
    names = controls.titles(lines)
    rows = [(controls.titled(names, line), line.about["sabotage"], *_found(line)) for line in asked]
    table = evidence(rows, "environment", "wait replaced by", "noticed by", "verdict")
    return Control(controls.all_of(is_right for _, is_right in verdicts), finding, table)


def _is_right(line: Measured) -> bool | None:
    """Say whether the contract is broken where something was done, and is not where nothing was; None: not measured."""
    if line.status != "ok":
        return None
    return bool(line.about.get("caught_by")) == (line.about["sabotage"] != NOTHING)


def _found(line: Measured) -> tuple[str, str]:
    if line.status == "unsupported":
        return str(line.reason), controls.NOT_APPLICABLE
    caught = line.about.get("caught_by", f"{line.status}: {line.reason}")
    return caught.replace("_", " ") or "nothing", controls.VERDICTS[_is_right(line)]
