"""Which networks of an article were measured, where, and the answers to them."""

from collections.abc import Sequence

from analysis.articles import Section
from analysis.estimate.estimates import Estimates
from analysis.found import Found
from bench import registry
from bench.cases import FED


def measuring(found: Found, workloads: Sequence[str]) -> list[str]:
    """Return the machines that gave one of some networks a time, those that only fed it included."""
    return [name for name in found.results.machines if of_fed(found, workloads, name)
            or any(each.measured for workload in workloads for each in found.of(name, workload))]  # fmt: skip


def of_fed(found: Found, workloads: Sequence[str], machine: str) -> list[Estimates]:
    """Return what was fed on a machine, of some networks, in their order."""
    own = [each for each in found.changed
           if each.question.task in FED and each.question.machine == machine and each.measured]  # fmt: skip
    return sorted((each for each in own if each.question.workload in workloads),
                  key=lambda each: workloads.index(each.question.workload))  # fmt: skip


def networks(section: Section) -> list[str]:
    """Return those of a section's networks that this project has."""
    names = registry.workload_names()
    return [name for name in section.workloads if name in names]


def by_network(found: Found, section: Section, machine: str) -> list[list[Estimates]]:
    """Return the answers to each of the section's networks that has any."""
    known, usual = (found.of(machine, name) for name in networks(section)), found.usual_threads(machine)
    return [_as_usual(own, usual) for own in known if own]


def _as_usual(answers: list[Estimates], threads: int) -> list[Estimates]:
    """Return of each task what was measured with the usual number of threads; all of it where nothing was."""
    has = {each.question.task for each in answers if each.measured and each.question.threads == threads}
    return [each for each in answers if each.question.threads == threads or each.question.task not in has]


def answers(found: Found, section: Section, machine: str) -> list[Estimates]:
    """Return the answers to all of the section's networks."""
    return [each for own in by_network(found, section, machine) for each in own]
