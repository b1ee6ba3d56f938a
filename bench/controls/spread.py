"""How far runs of one program lie apart, in each environment; the steadiest one is what the controls of twins measure.

The rule, stated before anything is measured: of the environments that answer the lightest workload, the one whose runs
have the smallest standard deviation of the logarithms of their medians.
"""

import glob
import os
from typing import Any, Dict, List

import numpy as np

from bench import controls, profiles, records, registry
from bench import measure as loop
from bench.cases import Case
from bench.controls import LIGHT, RUN_S, Place
from bench.errors import RecordError

ORDER = 0
NAME = "spread"
RUNS = 5  # of each environment
TIMEOUT_S = profiles.CONTROL.timeout_s

Line = Dict[str, Any]


def _asked(place: Place) -> List[controls.Question]:
    count = min(RUNS, place.arguments.rounds or RUNS)
    return [each for number in range(1, count + 1) for each in controls.questions(place, LIGHT, run=str(number))]


def expected_s(place: Place) -> float:
    """Return the seconds of all runs."""
    return RUN_S * len(_asked(place))


def measure(place: Place) -> None:
    """Measure the lightest workload in every environment some times, all in random order."""
    controls.ask_each(place, NAME, _asked(place), TIMEOUT_S)


def inside(request: Dict[str, Any], environment: registry.Environment, adapter: Any) -> Dict[str, Any]:
    """Measure a program as a run does; `step_s` is what counts of it, block by block."""
    program, batch = controls.program(request, environment, adapter)
    found = loop.measure(program, batch, profiles.CONTROL.block_s, request["device"], loop.alone(5, 2.5))
    return {"about": {}, "series": {"step_s": records.counted_s(dict(found._asdict(), kind="run", status="ok"))}}


def medians(lines: List[Line]) -> Dict[str, List[float]]:
    """Return {environment: seconds per step of each of its runs}; without those of which a run has no time."""
    found = {}  # type: Dict[str, List[float]]
    for line in lines:
        if line["kind"] == "control":
            name, step_s = line["about"].get("environment", ""), line["series"].get("step_s", [])
            found.setdefault(name, []).append(float(np.median(step_s)) if step_s and line["status"] == "ok" else 0.0)
    return {name: own for name, own in found.items() if min(own) > 0}


def spreads(lines: List[Line]) -> Dict[str, float]:
    """Return {environment: standard deviation of the logarithms of its runs' medians}, the smallest first."""
    found = {name: float(np.std(np.log(own), ddof=1)) for name, own in medians(lines).items() if len(own) > 1}
    return dict(sorted(found.items(), key=lambda item: (item[1], item[0])))


def newest(place: Place) -> List[Line]:
    """Return the lines of this machine's newest whole campaign of this control; none where there is none to be read."""
    folder = os.path.join(place.arguments.results, place.machine["name"], "controls", NAME)
    for path in sorted(glob.glob(os.path.join(folder, "*.jsonl")), reverse=True):
        try:
            lines = records.read(path)
        except RecordError:
            continue  # the page says what is wrong with it
        if lines and lines[-1]["kind"] == "end":
            return lines
    return []


def steadiest_case(place: Place) -> Case:
    """Return the training steps of LIGHT in the steadiest environment that was asked for.

    Where this control was not measured here, the first environment stands for it.
    """
    known = [name for name in spreads(newest(place)) if name in place.environments]
    return controls.first_case(place, LIGHT, known[0] if known else None)
