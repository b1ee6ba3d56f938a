"""Find likely causes of a difference: each file of probes/ knows one, and stays silent unless its evidence is there.

The docstring of a probe is the cause in a sentence. Its `find(one, other)` returns a Finding if the program `one` has
the cause, compared with `other`. Optional constants:

- `LESSON`: the lesson's name on the site
- `IS_WORK`: the programs do different work, which is named first
- `IS_DIFFERENCE`: the finding compares both programs, as in "threads differ"; it is listed once
- `WEIGHT`: 0 to 1, how often this cause matters; orders findings without a measured cost (default 0.5)
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from bench import registry

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "probes")


class Side(NamedTuple):
    """One of the compared programs, as probes see it. Times are in seconds."""

    name: str  # as reports call it: "a: mine_torch.py"
    source: str  # the script's text
    by_framework: Mapping[str, Mapping[str, Any]]  # imported module -> fact of FACTS -> value
    step_s: float  # median over rounds
    first_step_s: float
    cores_used: float  # processor seconds per second of a step
    peak_bytes: int | None = None
    growth_bytes: float | None = None  # resident memory per step after the warm-up
    settings: Mapping[str, str] = {}  # variables that --set gives, and those that choose a backend
    machine: Mapping[str, Any] = {}  # cores, cgroup_cores, gpu, thread variables
    losses: Sequence[float | None] = ()  # of the first steps
    examples_per_step: float | None = None
    unit: str = "step"  # or "epoch"
    is_slower: bool | None = None  # than the other by a decided ratio; None: no ratio was judged

    def fact(self, name: str) -> Any:
        """Return a fact of the first framework that knows it; None if it is unknown."""
        values = [facts[name] for facts in self.by_framework.values() if facts.get(name) is not None]
        return values[0] if values else None

    def facts(self, name: str) -> list[Any]:
        """Return a fact of all frameworks that know it: Keras and its backend may both do."""
        return [facts[name] for facts in self.by_framework.values() if facts.get(name) is not None]

    def switch(self, cause: str, value: Any = None) -> tuple[str, str] | None:
        """Return the variable that removes a cause, and its value; None if the frameworks have none."""
        for switches in self.facts("switches"):
            if cause in switches:
                name, _, fixed = switches[cause].partition("=")
                return name, fixed or str(value)
        return None


class Finding(NamedTuple):
    """A likely cause: what was seen, what it costs, and what to do."""

    evidence: str  # a sentence with numbers
    remedy: str  # a sentence
    cost_s: float | None = None  # seconds per step, if something measured them
    switch: tuple[str, str] | None = None  # what --try sets: a variable and its value
    weight: float | None = None  # instead of the probe's WEIGHT


class Cause(NamedTuple):
    """A finding of a probe about a program."""

    probe: str
    cause: str  # the probe's docstring
    lesson: str
    side: str  # the program's name; empty if the finding compares both
    finding: Finding
    is_work: bool
    is_on_both: bool
    weight: float


def probes(folder: str = FOLDER) -> list[Any]:
    """Return the probes' modules by reading their folder."""
    names = sorted(name[:-3] for name in os.listdir(folder) if name.endswith(".py") and name != "__init__.py")
    return [registry.load_module(os.path.join(folder, name + ".py"), "versus_probe_" + name) for name in names]


def find(one: Side, other: Side, known: Sequence[Any] | None = None, problems: list[str] | None = None) -> list[Cause]:
    """Return the causes that differ between two programs, most important first, then what both have.

    A probe that fails is added to `problems`: an unforeseen fact must not cost the user the measurement.
    """
    causes: list[Cause] = []
    for probe in probes() if known is None else known:
        try:
            causes += _of_probe(probe, one, other)
        except Exception as error:
            if problems is None:
                raise
            problems.append(f"{_name(probe)} failed: {type(error).__name__}: {error}")
    return sorted(causes, key=_place)


def _name(probe: Any) -> str:
    return str(probe.__name__).removeprefix("versus_probe_")


def _of_probe(probe: Any, one: Side, other: Side) -> list[Cause]:
    """Return a probe's findings about each program, or a single one if it compares both."""
    found = [(side, probe.find(side, rival)) for side, rival in ((one, other), (other, one))]
    found = [(side, finding) for side, finding in found if finding]
    compares = getattr(probe, "IS_DIFFERENCE", False)
    return [
        Cause(
            _name(probe), (probe.__doc__ or "").strip(), getattr(probe, "LESSON", ""),
            "" if compares else side.name, finding, getattr(probe, "IS_WORK", False),
            len(found) > 1 and not compares,
            getattr(probe, "WEIGHT", 0.5) if finding.weight is None else finding.weight,
        )
        for side, finding in (found[:1] if compares else found)
    ]  # fmt: skip


def _place(cause: Cause) -> tuple[bool, bool, float, float]:
    return cause.is_on_both, not cause.is_work, -(cause.finding.cost_s or 0.0), -cause.weight
