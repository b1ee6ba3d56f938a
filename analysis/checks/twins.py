"""The A/A band: whether two names for one program differ on the machine that the times are from.

A machine that fails is told of, and no error: its page shows the failure, and to refuse it would reward whoever leaves
the control out.
"""

from collections.abc import Iterator

from analysis import controls
from analysis.checks import Finding, Given
from bench.errors import RecordError

ORDER = 9
CONTROL = "same"
MEASURE = "nox -s controls -- --only planted measures it on the machine, in about three quarters of an hour"

DISTURBED = "find what disturbs the machine, and measure both again; else the page of controls shows that it fails"


def check(given: Given) -> Iterator[Finding]:
    """Judge each machine by its newest whole control of twins."""
    module = controls.found()[CONTROL]
    for machine in sorted({file.machine for file in given.files}):
        name = f"results/{machine}"
        title = controls.about(module).title
        try:
            judged = controls.judge_on(module, given.results / machine)
        except RecordError as error:
            yield Finding(name, None, f"expected a control to judge, got: {error}", MEASURE)
            continue
        if judged.passes is None:
            problem = f"{title}: expected controls that tell, so the A/A band is unchecked, got: {judged.finding}"
            yield Finding(name, None, problem, MEASURE, is_error=False)
        elif not judged.passes:
            problem = f"{title}: expected no difference, got one. {judged.finding}"
            yield Finding(name, None, problem, DISTURBED, is_error=False)
