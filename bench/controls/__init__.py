"""Controls: does the measurement keep what it promises? `python -m bench controls` runs them.

A control has two sides. Here it is measured, into a campaign below results/<machine>/controls/<its name>/. A file in
analysis/controls says what must hold, and judges. Workers do a part of some controls (bench/worker/controls.py).
"""

import argparse
import os
import time
from collections.abc import Callable

from bench import machine, registry
from bench.campaign import preflight, report
from bench.campaign.preflight import Prepared
from bench.controls import asking, twins
from bench.driver import lock
from bench.errors import DefinitionError
from bench.units import duration

PAST = ("order", "sampler", "sleepers")  # no longer measured; their files stay in results/ (docs/past_controls.md)
# name -> (its expected seconds, how it is measured); the most important one is measured first
CONTROLS: dict[str, tuple[Callable[[Prepared, str], float], Callable[[Prepared, str], None]]] = {
    "spread": (twins.expected_s, twins.measure_spread),
    "planted": (twins.expected_s, twins.measure_planted),
    "overhead": (asking.expected_s, asking.measure),
    "agreement": (asking.expected_s, asking.measure),
    "waiting": (asking.expected_s, asking.measure),
}

HELP = """Measure whether the measurement keeps its promises.

  nox -s controls                              all of them, in every environment: over an hour on two cores
  nox -s controls -- --only overhead           one
  nox -s controls -- --budget 20m              what fits, what matters most first
  nox -s controls -- --environment NAME        in one environment

  spread     10 minutes   in which environment two names for one thing differ least: planted measures that one
  planted    35 minutes   two names for one thing, planted slow-downs and coverage; more where rounds are disturbed
  overhead   11 minutes   our timing loop beside a bare one; up to four minutes for each network that is large
  agreement   9 minutes   our times beside the frameworks' own timers and networks
  waiting     4 minutes   the wait removed on purpose

Each measurement of a control is a file in results/<machine>/controls/<control>/. The newest complete one is judged by
python -m analysis controls and on the site's page Controls. An interrupted control goes on when the same command is
given again. Let nothing else run meanwhile.
"""


def do_controls(arguments: argparse.Namespace) -> int:
    """Measure the controls that were asked for, or all."""
    with lock.alone(arguments.results):
        prepared = preflight.prepare(arguments, report.say, machine.describe(arguments.machine))
        measure_all(prepared, arguments.only, arguments.budget)
        with open(os.path.join(registry.STATE, "last-controls"), "w") as file:
            file.write(os.path.abspath(arguments.results))
    return 0


def measure_all(prepared: Prepared, only: list[str], budget_s: float | None) -> None:
    """Measure the controls, the most important first, as far as the budget allows.

    The same command after an interrupt goes on: it repeats no control that was finished.
    """
    if not prepared.names:
        raise DefinitionError("No environment that was asked for is ready here: see the reasons above.")
    wanted = [name for name in CONTROLS if not only or name in only]
    path = os.path.join(registry.STATE, "controls-finished.json")  # until the command comes to its end
    command = [wanted, os.path.abspath(prepared.arguments.results), prepared.machine["name"], prepared.names]
    before = None if prepared.arguments.fresh else asking.kept(path)
    finished: list[str] = before[1] if before and before[0] == command else []
    if finished:
        prepared.say(f"Going on after: {', '.join(finished)} (--fresh begins anew)")
    waiting = [name for name in wanted if name not in finished]
    expected = {name: CONTROLS[name][0](prepared, name) for name in waiting}
    each = ", ".join(f"{name} {duration(seconds)}" for name, seconds in expected.items())
    prepared.say(f"Controls to measure: {len(waiting)}, about {duration(sum(expected.values()))}: {each}")
    end = time.monotonic() + (budget_s or float("inf"))
    for name in waiting:
        expected_s, measure = CONTROLS[name]
        left_s, seconds = max(end - time.monotonic(), 0.0), expected_s(prepared, name)  # an earlier one may save some
        del expected[name]
        if seconds > left_s:
            prepared.say(
                f"{name}: left out, it takes about {duration(seconds)} and the budget has {duration(left_s)} left: "
                f"give --budget, or --only {name}"
            )
            continue
        measure(prepared, name)
        finished.append(name)
        asking.keep(path, [command, finished])
        if expected:
            prepared.say(f"Controls to go: {len(expected)}, about {duration(sum(expected.values()))}")
    if os.path.exists(path):
        os.remove(path)
