"""What cannot be: faster than the machine's ceilings, wrong units, no variance, too much memory, twins that differ."""

from collections.abc import Iterator

from analysis import controls
from analysis.checks import Finding, Given
from bench.errors import RecordError
from bench.results import plausible
from bench.results.lines import Epochs, Run

ORDER = 5
UNITS = "results are in s, B, FLOP/s (results/README.md); a line that cannot be is never published: measure it again"

LATER_RULE = "a tenth of its blocks"  # begins the reason of a rule that is newer than the field `timing`
OLDER = "nothing: it was published before this rule, and pages show it as a run without a time"

TWINS = "same"  # the control whose two names are of one program
MEASURE = "nox -s controls -- --only planted measures it on the machine, in about three quarters of an hour"
DISTURBED = "find what disturbs the machine, and measure both again; else the page of controls shows that it fails"


def check(given: Given) -> Iterator[Finding]:
    """Judge each campaign as reading does, say what it refuses, and judge the A/A band of each machine."""
    for file in given.campaigns:
        judged = plausible.judge_all([record for _, record in file.records])
        for (number, record), after in zip(file.records, judged, strict=True):
            if isinstance(after, Run | Epochs) and after is not record:
                is_older = after.timing is None and str(after.reason).startswith(LATER_RULE)
                yield file.finding(number, f"expected what a machine can do, got: {after.reason}",
                                   OLDER if is_older else UNITS, is_error=not is_older)  # fmt: skip
        most = file.bench.machine.memory_bytes if file.bench else 0
        for number, run in file.runs:
            used = run.peak_host_memory_bytes or 0
            if most and used > most:
                yield file.finding(number, f"peak_host_memory_bytes: expected at most the machine's {most}, got {used}",
                                   UNITS)  # fmt: skip
        if not plausible.context(judged).ceilings and file.runs:
            yield file.finding(None, "expected lines of kind ceiling to hold times against, got none: how fast a run "
                               "can be on this machine is unchecked", "nothing, where no framework can time a ceiling "
                               "there; else measure again", False)  # fmt: skip
    for machine in sorted({file.machine for file in given.files}):
        yield from _twins(given, machine)


def _twins(given: Given, machine: str) -> Iterator[Finding]:
    """Judge a machine by its newest whole control of twins.

    A machine that fails gets a note: its page shows the failure, and an error would reward leaving the control out.
    """
    name, control = f"results/{machine}", controls.found()[TWINS]
    title = controls.about(control).title
    try:
        judged = controls.judge_on(control, given.results / machine)
    except RecordError as error:
        yield Finding(name, None, f"expected a control to judge, got: {error}", MEASURE)
        return
    if judged.passes is None:
        problem = f"{title}: expected controls that tell, so the A/A band is unchecked, got: {judged.finding}"
        yield Finding(name, None, problem, MEASURE, is_error=False)
    elif not judged.passes:
        problem = f"{title}: expected no difference, got one. {judged.finding}"
        yield Finding(name, None, problem, DISTURBED, is_error=False)
