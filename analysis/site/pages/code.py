"""The code that was measured, included from the repository: each file is on one page of the site."""

import os
import textwrap
from pathlib import Path
from typing import NamedTuple

from analysis import units
from analysis.compare import coverage
from analysis.found import Found
from analysis.site import template
from analysis.site.pages import environments_of, in_full, is_of_today
from analysis.text import html
from analysis.text.frameworks import dated_title, folders
from bench import registry

MEASURED = ("machine", "campaign", "environment", "code", "proof")
SHOWN = (2, 3)  # boxes that are checked at first: two frameworks
CHANGED = {
    coverage.OTHER_CODE: "Changed since the measurement: the files of {} are shown as they are now.",
    coverage.OTHER_PROOF: "Changed since the measurement: the adapter of {}, or the problem's statement. The files "
    "that answer it are as they were.",
}


class Implementation(NamedTuple):
    """One framework's answer to a workload; the path of its model file starts at the repository's root."""

    title: str
    framework: str
    path: str
    is_of_today: bool


def answers(name: str) -> list[Implementation]:
    """Return the answer of each framework that has one: those measured by default first, each kind by folder."""
    implementations = [
        Implementation(
            dated_title(environments), environments[0].framework, _path(folder, f"{name}.py"), is_of_today(environments)
        )
        for folder, environments in sorted(folders().items())
        if os.path.exists(os.path.join(folder, f"{name}.py"))
    ]
    return sorted(implementations, key=lambda implementation: not implementation.is_of_today)


def beside(name: str) -> str:
    """Return a network's statement and the code of each framework measured by default: any of them side by side.

    Boxes above choose what is shown; site.css hides the rest, so that no script is needed.
    """
    shown = [("NumPy statement", f"bench/workloads/{name}.py")]
    shown += [(answer.title, answer.path) for answer in answers(name) if answer.is_of_today]
    boxes = html.join(_box(number, title) for number, (title, _) in enumerate(shown, 1))
    blocks = [block(path, kind=f"code-{number}") for number, (_, path) in enumerate(shown, 1)]
    chosen = f'<fieldset class="choose"><legend>Show side by side</legend>{boxes}</fieldset>'
    content = textwrap.indent("\n".join([chosen, "", *blocks, ""]), "    ")
    return f'!!! stone ""\n\n{content}'


def _box(number: int, title: str) -> html.Markup:
    checked = " checked" * (number in SHOWN)
    box = html.Markup(f'<input type="checkbox" class="pick-{number}"{checked}>')
    return html.element("label", html.join([box, " ", title]))


def elsewhere(name: str, root: str) -> list[html.Markup]:
    """Return links to the code of all other frameworks that answer a network, on a page each."""
    return [html.link(f"{root}generated/code/{answer.framework}/#{name}", answer.title)
            for answer in answers(name) if not answer.is_of_today]  # fmt: skip


def page(name: str) -> str:
    """Return a framework's page of code: its environments, its adapter, and models that no other page shows."""
    environments = environments_of(name)
    folder, workloads = environments[0].folder, registry.workload_names()
    files = {entry[:-3]: block(_path(folder, entry)) for entry in sorted(os.listdir(folder)) if entry.endswith(".py")}
    models = [] if is_of_today(environments) else registry.answered(environments[0])
    return template.render(
        "code.md",
        title=dated_title(environments),
        definition=html.Markup(block(_path(folder, "framework.toml"), language="toml")),
        adapter=[html.Markup(text) for stem, text in files.items() if stem not in workloads],
        models=[(model, units.workload_title(model), html.Markup(files[model])) for model in models],
        back=f"../../frameworks/{name}/",
    )


def block(path: str, kind: str = "", language: str = "python") -> str:
    """Return a file of the repository as a block of code, kept out of the search index: every page fetches that."""
    classes = f".{language} .{kind}" if kind else f".{language}"
    return f'``` {{ {classes} title="{path}" data-search-exclude }}\n--8<-- "{path}"\n```\n'


def _path(folder: str, entry: str) -> str:
    return Path(folder, entry).relative_to(registry.ROOT).as_posix()


def changed(found: Found, name: str) -> list[str]:
    """Return a note when a file shown is not the one that was measured, another when the code that runs it is not."""
    environments = registry.environments()
    campaigns = {(campaign.machine, campaign.name): campaign for campaign in found.results.shown}
    runs = found.results.runs.loc[found.results.runs["workload"] == name, list(MEASURED)].dropna().drop_duplicates()
    titles: dict[str | None, set[str]] = {}
    for machine, campaign, environment, measured, proven in runs.itertuples(index=False):
        if environment in environments:
            record = campaigns[machine, campaign]
            why = coverage.code_since(environments[environment], name, [measured], [proven], record)
            titles.setdefault(why, set()).add(environments[environment].title)
    return [in_full(text.format(units.count(len(titles[why]), "environment")), "changed")
            for why, text in CHANGED.items() if why in titles]  # fmt: skip
