"""One page per framework: where it leads, where it is behind and why, its traps with their cost, and its versions."""

import itertools
import statistics
from collections.abc import Iterator, Sequence

from analysis import kinds, units
from analysis.compare.unpaired import VERSIONS, Set
from analysis.estimate import standing
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.found import Found
from analysis.lessons.claim_test import Effect
from analysis.site import links, template
from analysis.site.pages import environments, factors, is_of_today, newer_releases, plain, slow_down, why
from analysis.text import frameworks, html, slowdown
from analysis.units import workload_title
from bench import proof, registry
from bench.registry import Environment

ROOT = "../../../"  # from generated/frameworks/<name>/ to the site's top
DERIVED = ("gain of", "first step")  # sides that are another measure of the same program
CODE = "Its code: environments, adapter, and models that no page of a network shows"
LOOPS = {"fit": "the framework's own loop (fit)", "epochs": "a hand-written loop"}
MOST_BEHIND, MOST_TRAPS, MOST_CHANGES = 3, 8, 6

Timed = tuple[Estimates, Cell]


def index(found: Found) -> str:
    """Return the page that lists the frameworks."""
    del found
    names = sorted(registry.framework_names())
    folders = sorted(map(environments, names), key=is_of_today, reverse=True)
    rows = [
        [html.link(f"{own[0].framework}/", frameworks.dated_title(own)),
         html.join([environment.title for environment in own], html.Markup("<br>")),
         max(environment.released for environment in own),
         f"{len(registry.answered(own[0]))} of {len(registry.workload_names())}"]
        for own in folders
    ]  # fmt: skip
    return template.render("frameworks.md", rows=rows)


def page(found: Found, name: str) -> str:
    """Return one framework's page."""
    own = environments(name)
    families = list(dict.fromkeys(standing.family(environment.title) for environment in own))
    rows = [row for row in kinds.grid(found) if any(family in row.ranges for family in families)]
    timed = {family: list(_timed(found, own, family)) for family in families}
    answered = registry.answered(own[0])
    return template.render(
        "framework.md",
        title=frameworks.dated_title(own),
        brief=plain(_brief(family, pairs) for family, pairs in timed.items() if pairs),
        caption="Slow-down against the fastest by kind of network, range over machines; bold: leads on each of them",
        header=["environment", *(f"{row.device}: {row.kind}" for row in rows)],
        grid=[[family, *(slow_down(row, family) for row in rows)] for family in families
              if any(family in row.ranges for row in rows)],
        behind=[text for family, pairs in timed.items() for text in _behind(found, family, pairs)],
        results=links.results(ROOT, framework=name),
        traps=_traps(found, families),
        versions=_versions(found, own),
        newer=newer_releases(found, itertools.product(found.names, [environment.name for environment in own])),
        changes=list(_changes(found, own))[:MOST_CHANGES],
        defaults=[(key.replace("_", " "), text) for key, text in own[0].differs.items()] if is_of_today(own) else [],
        code=html.link(f"{ROOT}generated/code/{name}/", CODE),
        unanswered=[workload_title(name) for name in registry.workload_names() if name not in answered],
    )  # fmt: skip


def _timed(found: Found, own: Sequence[Environment], family: str) -> Iterator[Timed]:
    """Yield a family's first question of each network on each machine, beside all versions where it is an old one."""
    wanted = {environment.name for environment in own if standing.family(environment.title) == family}
    for machine in found.names:
        for answers in (found.first(machine), found.first(machine, with_old=True)):
            timed = [(answer, cell) for answer in answers for cell in answer.measured if cell.row[0] in wanted]
            if timed:
                yield from timed
                break


def _brief(family: str, timed: Sequence[Timed]) -> str:
    """Return in how many questions a family may be the fastest, and its typical slow-down."""
    ahead = sum(cell.row in answer.may_be_best for answer, cell in timed)
    median = statistics.median(cell.to_fastest.ratio.value if cell.to_fastest else 1.0 for _, cell in timed)
    typical, results = slowdown.among(median, median), units.count(len(timed), "result")
    return f"{family}: fastest or tied in {ahead} of {results}, {typical} slow-down in the median."


def _behind(found: Found, family: str, timed: Sequence[Timed]) -> Iterator[str]:
    """Yield where a family is furthest behind, a network once, with what its folder states of the cause."""
    far = [(cell.to_fastest.ratio.value, answer, cell) for answer, cell in timed
           if cell.to_fastest and cell.to_fastest.faster == cell.to_fastest.a]  # fmt: skip
    worst: dict[str, Timed] = {}
    for _, answer, cell in sorted(far, key=lambda item: -item[0]):
        worst.setdefault(answer.question.workload, (answer, cell))
    stated: set[str] = set()
    for workload, (answer, cell) in list(worst.items())[:MOST_BEHIND]:
        causes = [text for text in why.causes(cell.row[0], workload) if text not in stated]
        stated.update(causes)
        where = f"{slowdown.words(answer, cell)}, {found.names[answer.question.machine]}."
        yield " ".join([f"{family}, {workload_title(workload)}: {where}", *map(why.sentence, causes)])


def _traps(found: Found, families: Sequence[str]) -> list[str]:
    """Return the largest significant effect of each change that this framework was compared with itself by."""
    effects = why.largest(
        (effect for lesson in found.lessons for effect in lesson.effects
         if _is_trap(effect) and standing.family(effect.environments[0]) in families),
        why.slow_and_quick,
    ).values()  # fmt: skip
    traps = []
    for effect in sorted(effects, key=lambda effect: -why.size(effect.ratio))[:MOST_TRAPS]:
        slow, quick = (LOOPS.get(side, workload_title(side)) for side in why.slow_and_quick(effect))
        where = f"{workload_title(effect.question.workload)}, {found.names[effect.question.machine]}"
        family = standing.family(effect.environments[0])
        traps.append(f"{slow} against {quick}: {slowdown.times(effect.ratio)}. {family}, {where}")
    return traps


def _is_trap(effect: Effect) -> bool:
    """Say whether one framework's step was significantly changed by one thing; another network is not one thing."""
    if not why.is_effect(effect) or effect.environments[0] != effect.environments[1]:
        return False
    slow, quick = why.slow_and_quick(effect)
    if registry.has_workload(slow) or registry.has_workload(quick):
        return registry.has_workload(slow) and quick in proof.builds_on(slow)
    return not any(side.startswith(DERIVED) or side.endswith(DERIVED) for side in effect.sides)


def _versions(found: Found, own: Sequence[Environment]) -> list[list[str]]:
    days: dict[str, set[str]] = {}
    for version in found.compared.sets.get(VERSIONS, ()):
        days.setdefault(_environment(version), set()).update(version.days)
    return [[each.title, each.released or units.NONE, units.days(sorted(days.get(each.name, ()))) or "not measured"]
            for each in sorted(own, key=lambda environment: environment.released, reverse=True)]  # fmt: skip


def _environment(version: Set) -> str:
    return next(iter(version.cells.values())).case.environment


def _changes(found: Found, own: Sequence[Environment]) -> Iterator[str]:
    """Yield what two versions of one family on one machine differ by."""
    titles = {environment.name: environment.title for environment in own}
    for change in found.compared.of(VERSIONS):
        first, second = (titles.get(_environment(version), "") for version in (change.first, change.second))
        ratios = [row.ratio.value for row in change.rows if row.ratio]
        if first and second and standing.family(first) == standing.family(second) and ratios:
            is_slower = [row.ratio.value > 1 for row in change.rows if row.ratio and row.claim == "faster"]
            versions = f"{first} and {second}" if first != second else f"two releases of {first}"
            counts = f"faster in {is_slower.count(False)}, slower in {is_slower.count(True)}"
            yield (
                f"{versions}, {found.names[change.first.machine]}. The second is {counts} of "
                f"{units.count(len(ratios), 'comparison')}, ratio {factors(ratios)}."
            )
