"""What an article's section has not here, each with its reason: networks, columns, and what is shown elsewhere."""

from collections.abc import Iterator, Sequence
from itertools import product

from analysis import units
from analysis.articles import Section
from analysis.estimate import aggregate
from analysis.estimate.estimates import Estimates
from analysis.site.pages import Found, columns, reproduce
from analysis.text import html, sentences
from analysis.text.html import Markup
from analysis.units import workload_title
from bench import registry
from bench.cases import EPOCHS
from bench.profiles import PROFILES


def missing(found: Found, section: Section) -> list[Markup]:
    """Return a sentence for each network and cell that is not here, with its reason, and for what is elsewhere."""
    known, wanted = networks(section), section.workloads
    sentences = [f"{name} is not among this project's workloads yet." for name in wanted if name not in known]
    for machine in found.results.machines:
        sentences += [
            f"{workload_title(name)} was not measured on {machine}." for name in known if not found.of(machine, name)
        ]
        sentences += [*_unasked(found, section, machine), *_elsewhere(found, section, machine)]
    return [gap(sentence) for sentence in (*sentences, *section.gaps)]


def _unasked(found: Found, section: Section, machine: str) -> Iterator[str]:
    """Yield which batch sizes and optimisers have no column because nobody asked for them; alike networks together."""
    alike: dict[tuple[str, str], list[str]] = {}
    for own in by_network(found, section, machine) if {"times", "means"} & {*section.ours} else []:
        chosen = aggregate.best_or_first(own)
        about, problem = chosen[0].question, registry.workload(chosen[0].question.workload)
        optimizers = ["none"] if about.task == "infer" else problem.OPTIMIZERS
        asked = {(each.question.optimizer, each.question.batch_size) for each in chosen}
        lacking = [each for each in product(optimizers, problem.BATCH_SIZES) if each not in asked]
        if lacking:
            cells = units.listing(columns.facet(*each) for each in lacking)
            has_first = (next(iter(optimizers)), problem.BATCH_SIZES[0]) in asked
            alike.setdefault((cells, _why_unasked(found, chosen, has_first)), []).append(workload_title(about.workload))
    for (cells, why), titles in alike.items():
        yield f"{units.listing(titles)}: {cells} have no column on {machine}, since {why}."


def _why_unasked(found: Found, answers: Sequence[Estimates], has_first: bool) -> str:
    """Return why the campaigns of some answers did not ask for all that a workload states: its first cell or others."""
    profiles = sorted({str(reproduce.of(found, each).bench["profile"]) for each in answers})
    if has_first and all(PROFILES[name].first_only for name in profiles):
        asks = f"the profile {units.listing(profiles)} asks for the first batch size and optimiser of a network"
        return f"{asks}, unless others are named; the profile full asks for all"
    return "the campaign was asked for a selection"


def _elsewhere(found: Found, section: Section, machine: str) -> Iterator[str]:
    """Yield what else was measured of the networks of a section with times, and is in none of its tables."""
    tables, of_each = {*section.ours}, by_network(found, section, machine)
    answers = [each for own in of_each for each in own if each.measured]
    shown = [each for own in of_each for each in aggregate.best(own) if "times" in tables]
    shown += aggregate.best(answers) if "means" in tables else []
    if not shown:
        return
    shown += [each for own in of_each for each in aggregate.over_data(own) if "scores" in tables]
    shown += [each for each in answers if each.question.task in EPOCHS and "loops" in tables]
    others = dict.fromkeys(_kind(each) for each in answers if _kind(each) not in {*map(_kind, shown)})
    if others:
        yield f"Measured too on {machine}, and shown on the networks' own pages: {units.listing(others)}."


def _kind(answer: Estimates) -> str:
    return f"{sentences.TASKS[answer.question.task]}{sentences.data(answer.question)}"


def gap(sentence: str) -> Markup:
    """Return why there is nothing."""
    return html.paragraph(sentence, "missing")


def networks(section: Section) -> list[str]:
    """Return those of a section's networks that this project has."""
    names = registry.workload_names()
    return [name for name in section.workloads if name in names]


def by_network(found: Found, section: Section, machine: str) -> list[list[Estimates]]:
    """Return the answers to each of the section's networks that has any."""
    return [own for own in (found.of(machine, name) for name in networks(section)) if own]
