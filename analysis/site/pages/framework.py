"""One page per framework: where it leads, where it is behind and why, its traps with their cost, and its versions."""

import statistics
from collections.abc import Iterator, Sequence

from analysis import kinds, units
from analysis.compare.unpaired import VERSIONS, Set, SetComparison
from analysis.estimate import standing
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.found import Found
from analysis.lessons.claim_test import Effect
from analysis.site import links, template
from analysis.site.pages import environments, is_of_today, plain, releases_of, why
from analysis.text import frameworks, html, slowdown
from analysis.units import workload_title
from bench import proof, registry
from bench.registry import Environment

ROOT = "../../../"  # from generated/frameworks/<name>/ to the site's top
DERIVED = ("gain of", "first step")  # sides that are another measure of the same program
CODE = "Its code: environments, adapter, and models that no page of a network shows"
LOOPS = {"fit": "the framework's own loop (fit)", "epochs": "a hand-written loop"}
MOST_BEHIND, MOST_TRAPS, MOST_CHANGES = 3, 8, 6

Own = tuple[Estimates, Cell]


def index(found: Found) -> str:
    """Return the page that lists the frameworks."""
    del found
    known = len(registry.workload_names())
    rows = [
        [html.link(f"{name}/", title(name)), html.join([each.title for each in own], html.Markup("<br>")),
         max(each.released for each in own), f"{len(registry.answered(own[0]))} of {known}"]
        for name in sorted(registry.framework_names(), key=_newest_first) for own in [environments(name)]
    ]  # fmt: skip
    return template.render("frameworks.md", rows=rows)


def _newest_first(name: str) -> tuple[bool, str]:
    return not is_of_today(environments(name)), name


def title(name: str) -> str:
    """Return what a framework is called: by its folder's environments, as on all pages."""
    return frameworks.dated_title(environments(name))


def page(found: Found, name: str) -> str:
    """Return one framework's page."""
    own = environments(name)
    names = list(dict.fromkeys(standing.family(each.title) for each in own))
    rows = [row for row in kinds.grid(found) if any(name in row.ranges for name in names)]
    measured = {each: list(_measured(found, own, each)) for each in names}
    return template.render(
        "framework.md",
        title=title(name),
        brief=plain([told for each, timed in measured.items() for told in _brief(each, timed)]),
        caption="Slow-down against the fastest by kind of network, range over machines; bold: leads on each of them",
        header=["environment", *(f"{row.device}: {row.kind}" for row in rows)],
        grid=[
            [each, *(_range(row, each) for row in rows)] for each in names if any(each in row.ranges for row in rows)
        ],
        behind=[told for each, timed in measured.items() for told in _behind(found, each, timed)],
        results=links.results(ROOT, framework=name),
        traps=list(_traps(found, names)),
        versions=_versions(found, own),
        newer=releases_of(each for machine in found.names for name in own for each in found.newer(machine, name.name)),
        changes=list(_changes(found, own))[:MOST_CHANGES],
        defaults=[(key.replace("_", " "), text) for key, text in own[0].differs.items()] if is_of_today(own) else [],
        code=html.link(f"{ROOT}generated/code/{name}/", CODE),
        unanswered=_unanswered(own[0]),
    )


def _measured(found: Found, own: Sequence[Environment], family: str) -> Iterator[Own]:
    """Yield a family's first question of each network on each machine, beside all versions where it is an old one."""
    wanted = {each.name for each in own if standing.family(each.title) == family}
    for machine in found.names:
        for answers in (found.first(machine), found.first(machine, with_old=True)):
            timed = [(answer, cell) for answer in answers for cell in answer.measured if cell.row[0] in wanted]
            if timed:
                yield from timed
                break


def _brief(family: str, timed: Sequence[Own]) -> Iterator[str]:
    """Yield in how many questions a family may be the fastest, and its typical slow-down."""
    ratios = [cell.to_fastest.ratio.value if cell.to_fastest else 1.0 for _, cell in timed]
    if ratios:
        ahead = sum(cell.row in answer.may_be_best for answer, cell in timed)
        typical = slowdown.among(*[statistics.median(ratios)] * 2)
        of = units.count(len(timed), "result")
        yield f"{family}: fastest or tied in {ahead} of {of}, {typical} slow-down in the median."


def _range(row: kinds.Row, family: str) -> str:
    own = row.ranges.get(family)
    told = slowdown.among(own.low, own.high) if own else units.NONE
    return html.element("b", told) if family in kinds.on_all(row) else told


def _behind(found: Found, family: str, timed: Sequence[Own]) -> Iterator[str]:
    """Yield where a family is furthest behind, a network once, with what its folder states of the cause."""
    far = [(answer, cell) for answer, cell in timed if cell.to_fastest and cell.to_fastest.faster == cell.to_fastest.a]
    far.sort(key=lambda own: -own[1].to_fastest.ratio.value if own[1].to_fastest else 0.0)
    first: dict[str, Own] = {}
    for answer, cell in far:
        first.setdefault(answer.question.workload, (answer, cell))
    told: set[str] = set()
    for workload, (answer, cell) in list(first.items())[:MOST_BEHIND]:
        because = [each for each in why.causes(cell.row[0], workload) if each not in told]
        told.update(because)
        cause = " ".join(f"{text[0].upper()}{text[1:]}." for text in because)
        yield (
            f"{family}, {workload_title(workload)}: {slowdown.words(answer, cell)}, "
            f"{found.names[answer.question.machine]}. {cause}"
        ).strip()


def _traps(found: Found, names: Sequence[str]) -> list[str]:
    """Return the largest significant effect of each change that this framework was compared with itself by."""
    traps = [effect for lesson in found.lessons for effect in lesson.effects
             if _is_trap(effect) and standing.family(effect.environments[0]) in names]  # fmt: skip
    known = why.largest(traps, why.slow_and_quick)
    largest = sorted(known.items(), key=lambda item: -why.size(item[1].ratio))
    return [_trap(found, sides, effect) for sides, effect in largest[:MOST_TRAPS]]


def _is_trap(effect: Effect) -> bool:
    """Say whether one framework's step was significantly changed by one thing; another network is not one thing."""
    if not why.is_effect(effect) or effect.environments[0] != effect.environments[1]:
        return False
    slow, quick = why.slow_and_quick(effect)
    if registry.has_workload(slow) or registry.has_workload(quick):
        return registry.has_workload(slow) and quick in proof.builds_on(slow)
    return not any(side.startswith(DERIVED) or side.endswith(DERIVED) for side in effect.sides)


def _trap(found: Found, sides: tuple[str, str], effect: Effect) -> str:
    slow, quick = (LOOPS.get(each, workload_title(each)) for each in sides)
    return (
        f"{slow} against {quick}: {slowdown.times(effect.ratio)}. {standing.family(effect.environments[0])}, "
        f"{workload_title(effect.question.workload)}, {found.names[effect.question.machine]}"
    )


def _versions(found: Found, own: Sequence[Environment]) -> list[list[str]]:
    days: dict[str, set[str]] = {}
    for each in found.compared.sets.get(VERSIONS, ()):
        days.setdefault(_environment(each), set()).update(each.days)
    return [[each.title, each.released or units.NONE, units.days(sorted(days.get(each.name, ()))) or "not measured"]
            for each in sorted(own, key=lambda each: each.released, reverse=True)]  # fmt: skip


def _environment(own: Set) -> str:
    return next(iter(own.cells.values())).case.environment


def _changes(found: Found, own: Sequence[Environment]) -> Iterator[str]:
    """Yield what two versions of one family on one machine differ by."""
    titles = {each.name: each.title for each in own}
    for each in found.compared.of(VERSIONS):
        both = [_environment(one) for one in (each.first, each.second)]
        if set(both) <= titles.keys() and len({standing.family(titles[name]) for name in both}) == 1:
            yield from _change(found, each, [titles[name] for name in both])


def _change(found: Found, change: SetComparison, titles: Sequence[str]) -> Iterator[str]:
    ratios = [row.ratio.value for row in change.rows if row.ratio]
    if not ratios:
        return
    clear = [row.ratio.value > 1 for row in change.rows if row.ratio and row.claim == "faster"]
    named = " and ".join(titles) if titles[0] != titles[1] else f"two releases of {titles[0]}"
    yield (
        f"{named}, {found.names[change.first.machine]}. The second is faster in {clear.count(False)}, slower in "
        f"{clear.count(True)} of {units.count(len(ratios), 'comparison')}, ratio {units.factor(min(ratios))} to "
        f"{units.factor(max(ratios))}."
    )


def _unanswered(environment: Environment) -> list[str]:
    """Return which networks the folder has no code for."""
    answered = registry.answered(environment)
    return [workload_title(name) for name in registry.workload_names() if name not in answered]
