"""Which networks of an article were measured, where, and why a table of ours does not exist."""

from collections.abc import Sequence

from analysis.articles import Section
from analysis.estimate.estimates import Estimates
from analysis.site.pages import Found, feeding
from analysis.text import html
from analysis.text.html import Markup
from bench import registry


class Gap(Markup):
    """Why there is nothing: it need not be said of one machine where another has something."""


def telling(found: Found, section: Section) -> list[str]:
    """Return the machines that gave one of a section's networks a time."""
    return measuring(found, networks(section), bool({"feeding", "use"} & set(section.ours)))


def measuring(found: Found, workloads: Sequence[str], of_fed: bool = True) -> list[str]:
    """Return the machines that gave one of some networks a time; `of_fed` counts those that only fed it, too."""
    return [name for name in found.results.machines if (of_fed and feeding.answers(found, workloads, name))
            or any(each.measured for workload in workloads for each in found.of(name, workload))]  # fmt: skip


def gap(sentence: str) -> Gap:
    """Return why there is nothing."""
    return Gap(html.paragraph(sentence, "missing"))


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
