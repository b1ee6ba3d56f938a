"""Frameworks on the home page, and a page for each: where it leads or is behind and why, its traps, its versions."""

import itertools
import statistics
from collections.abc import Iterator, Sequence

from analysis import kinds, releases, units
from analysis.compare import history
from analysis.compare.history import Change
from analysis.compare.unpaired import VERSIONS, Set
from analysis.estimate import standing
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.found import Found
from analysis.groups import collected, grouped
from analysis.kinds import Row
from analysis.lessons.claim_test import Effect
from analysis.site import links, template
from analysis.site.pages import NOTHING, factors, figures, held_back, newer_releases, plain, why
from analysis.text import frameworks, html, sentences
from analysis.units import workload_title
from bench import proof, registry
from bench.registry import Environment

ROOT = "../../../"  # from generated/frameworks/<name>/ to the site's top
DERIVED = ("gain of", "first step")  # sides that are another measure of the same program
CODE = "Its code: environments, adapter, and models that no network's page shows"
LOOPS = {"fit": "the framework's own loop (fit)", "epochs": "a hand-written loop"}
MOST_BEHIND, MOST_TRAPS, MOST_CHANGES, MOST_SLOWER = 3, 6, 3, 2

Timed = tuple[Estimates, Cell]


def home(found: Found) -> str:
    """Return the home page's fragment."""
    rows = kinds.grid(found)
    if not rows:
        return str(NOTHING)
    families = sorted({family for row in rows for family in row.ranges}, key=standing.place)
    titles = [environment.title for environment in registry.environments().values()
              if environment.is_default and standing.family(environment.title) in families]  # fmt: skip

    measured = {name for row in rows for name in row.leaders}
    machines = "; ".join(name for machine, name in found.names.items() if machine in measured)
    precisions = units.listing(sorted({name for row in rows for name in row.precisions}))

    def networks(row: Row) -> str:
        return units.count(max(len(span.networks) for span in row.ranges.values()), "network")

    return template.render(
        "home.md",
        headline=headline(rows),
        caption="Slow-down against the fastest in a training step: geometric mean over networks, range over machines. "
        f"Machines: {machines}. Default settings, {precisions}, usual batch sizes and threads.",
        header=["network", *families],
        rows=[[html.join([f"{row.device}: {row.kind}", html.element("small", networks(row))]),
               *(slow_down(row, family) for family in families)] for row in rows],
        others=units.listing(sorted({name for row in rows for name in row.others})),
        date=max(campaign.day for campaign in found.results.shown),
        versions=units.listing(sorted({title.split(",")[0].split(" on ")[0] for title in titles})),
        newer=newer_releases(found, itertools.product(found.results.machines, registry.environments())),
        data=links.data("", "cells.csv"),
        figure=figures(found, "home", ""),
    )  # fmt: skip


def _others(rows: Sequence[Row]) -> list[list[str]]:
    """Return a row for each family that is not measured by default: its slow-down by kind of network."""
    recent = {standing.family(own.title): own for own in map(registry.environment, sorted(releases.of_recent_years()))}
    measured = sorted({name for row in rows for name in row.others} & recent.keys())
    return [[html.link(f"{recent[name].framework}/", recent[name].title),
             *(slow_down(row, name) for row in rows if row.others)] for name in measured]  # fmt: skip


def headline(rows: list[Row]) -> str:
    """Return the fastest family for each kind of network, and whether one family leads everywhere."""
    everywhere = sorted(set.intersection(*(set(kinds.on_all(row)) for row in rows)))
    opening = f"{units.listing(everywhere)} leads" if everywhere else "No framework is fastest"
    clauses = {device: kinds.headline(rows, device) for device in kinds.DEVICES.values()}
    return " ".join([f"{opening} everywhere.", *(f"On {device}s, {text}." for device, text in clauses.items() if text)])


def slow_down(row: Row, family: str) -> str:
    """Return a family's range of slow-downs on a kind of network; bold if it leads on each machine."""
    span = row.ranges.get(family) or row.others.get(family)
    text = sentences.among(span.low, span.high) if span else units.NONE
    return html.element("b", text) if family in kinds.on_all(row) else text


def index(found: Found) -> str:
    """Return the page that lists the frameworks."""
    folders = sorted(frameworks.by_framework().values(), key=frameworks.is_of_today, reverse=True)
    rows = [
        [html.link(f"{environments[0].framework}/", frameworks.dated_title(environments)),
         html.join([environment.title for environment in environments], html.Markup("<br>")),
         max(environment.released for environment in environments),
         f"{len(registry.answered(environments[0]))} of {len(registry.workload_names())}"]
        for environments in folders
    ]  # fmt: skip
    of_kinds = [row for row in kinds.grid(found) if row.others]
    header = ["framework", *(f"{row.device}: {row.kind}" for row in of_kinds)]
    return template.render("frameworks.md", rows=rows, header=header, others=_others(of_kinds))


def page(found: Found, name: str) -> str:
    """Return one framework's page."""
    environments = frameworks.by_framework()[name]
    families = list(dict.fromkeys(standing.family(environment.title) for environment in environments))
    rows = [row for row in kinds.grid(found) if any(family in {**row.ranges, **row.others} for family in families)]
    timed = {family: list(_timed(found, environments, family)) for family in families}
    answered = registry.answered(environments[0])
    differs = environments[0].differs if frameworks.is_of_today(environments) else {}
    return template.render(
        "framework.md",
        title=frameworks.dated_title(environments),
        brief=plain(_brief(family, pairs) for family, pairs in timed.items() if pairs),
        caption="Slow-down against the fastest by kind of network, range over machines; bold: leads on each of them",
        header=["environment", *(f"{row.device}: {row.kind}" for row in rows)],
        grid=[[family, *(slow_down(row, family) for row in rows)] for family in families
              if any(slow_down(row, family) != units.NONE for row in rows)],
        behind=[text for family, pairs in timed.items() for text in _behind(found, family, pairs)],
        results=links.results(ROOT, framework=name),
        traps=list(_traps(found, families)),
        versions=_versions(found, environments),
        newer=held_back(found, itertools.product(found.names, [environment.name for environment in environments])),
        changes=list(_changes(found, environments))[:MOST_CHANGES],
        releases=_releases(found, name),
        slower=[str(change) for change in _slower(found, name)],
        defaults=[(key.replace("_", " "), text) for key, text in differs.items()],
        code=html.link(f"{ROOT}generated/code/{name}/", CODE),
        unanswered=[workload_title(name) for name in registry.workload_names() if name not in answered],
    )  # fmt: skip


def _releases(found: Found, name: str) -> html.Markup:
    """Return links to the series of a framework's releases that were measured."""
    own = {track.series.name: track.series.title for track in found.history if name in track.series.frameworks}
    return html.join([html.link(f"{ROOT}releases/#{series}", title) for series, title in own.items()], ", ")


def _slower(found: Found, name: str) -> list[Change]:
    """Return the releases of a framework with the largest slow-downs."""
    changed = history.changes(track for track in found.history if name in track.series.frameworks)
    return [change for change in changed if change.ratio.value > 1][:MOST_SLOWER]


def _timed(found: Found, environments: Sequence[Environment], family: str) -> Iterator[Timed]:
    """Yield a family's first question of each network on each machine. Old versions are compared with all versions."""
    wanted = {environment.name for environment in environments if standing.family(environment.title) == family}
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
    typical, results = sentences.among(median, median), units.count(len(timed), "result")
    return f"{family}: fastest or tied in {ahead} of {results}, {typical} slow-down in the median."


def _behind(found: Found, family: str, timed: Sequence[Timed]) -> Iterator[str]:
    """Yield the networks with a family's largest slow-downs, with the cause that its folder states."""
    far = [(cell.to_fastest.ratio.value, answer, cell) for answer, cell in timed
           if cell.to_fastest and cell.to_fastest.faster == cell.to_fastest.a]  # fmt: skip
    worst = grouped(sorted(far, key=lambda item: -item[0]), lambda item: item[1].question.workload)
    stated: set[str] = set()
    for workload, ((_, answer, cell), *_) in list(worst.items())[:MOST_BEHIND]:
        causes = [text for text in why.causes(cell.row[0], workload) if text not in stated]
        stated.update(causes)
        where = f"{sentences.slow_down(answer, cell)}, {found.names[answer.question.machine]}."
        yield " ".join([f"{family}, {workload_title(workload)}: {where}", *map(why.sentence, causes)])


def _traps(found: Found, families: Sequence[str]) -> Iterator[str]:
    """Yield the largest significant effect of each change that this framework was compared with itself by."""
    effects = (effect for lesson in found.lessons for effect in lesson.effects
               if _is_trap(effect) and standing.family(effect.environments[0]) in families)  # fmt: skip
    for effect in why.largest(effects, why.slow_and_quick)[:MOST_TRAPS]:
        slow, quick = (LOOPS.get(side, workload_title(side)) for side in why.slow_and_quick(effect))
        family, network = standing.family(effect.environments[0]), workload_title(effect.question.workload)
        where = f"{family}, {network}, {found.names[effect.question.machine]}"
        yield f"{slow} against {quick}: {sentences.significant(effect.ratio)}. {where}"


def _is_trap(effect: Effect) -> bool:
    """Return whether one change made one framework significantly slower. Another network is not one change."""
    if not why.is_effect(effect) or effect.environments[0] != effect.environments[1]:
        return False
    slow, quick = why.slow_and_quick(effect)
    if registry.has_workload(slow) or registry.has_workload(quick):
        return registry.has_workload(slow) and quick in proof.builds_on(slow)
    return not any(side.startswith(DERIVED) or side.endswith(DERIVED) for side in effect.sides)


def _versions(found: Found, environments: Sequence[Environment]) -> list[list[str]]:
    sets = found.compared.sets.get(VERSIONS, ())
    days = collected((_environment(version), day) for version in sets for day in version.days)
    measured = {name: units.days(sorted({*on})) for name, on in days.items()}
    newest_first = sorted(environments, key=lambda environment: environment.released, reverse=True)
    return [[version.title, version.released or units.NONE, measured.get(version.name) or "not measured"]
            for version in newest_first]  # fmt: skip


def _environment(version: Set) -> str:
    return next(iter(version.cells.values())).case.environment


def _changes(found: Found, environments: Sequence[Environment]) -> Iterator[str]:
    """Yield the difference between two versions of one family on one machine."""
    titles = {environment.name: environment.title for environment in environments}
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
