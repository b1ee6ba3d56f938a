"""The code that was measured, included from the repository: each file is on one page of the site."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from analysis import units
from analysis.compare import coverage
from analysis.found import Found
from analysis.site import template
from analysis.site.pages import environments, in_full, is_of_today
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
    """One framework's answer to a workload; paths start at the repository's root."""

    title: str
    environments: list[registry.Environment]
    path: str  # the model file


def answers(name: str) -> Iterator[Implementation]:
    """Yield the answer of each framework's folder that has one: those asked by default first, each kind by folder."""
    for folder, own in sorted(folders().items(), key=_asked_first):
        if os.path.exists(os.path.join(folder, f"{name}.py")):
            yield Implementation(dated_title(own), own, _path(folder, f"{name}.py"))


def _asked_first(entry: tuple[str, list[registry.Environment]]) -> tuple[bool, str]:
    folder, own = entry
    return not is_of_today(own), folder


def shared(folder: str) -> list[str]:
    """Return the paths of what a framework's answers share: the adapter, and what else lies beside it."""
    workloads = registry.workload_names()
    files = (entry for entry in sorted(os.listdir(folder)) if entry.endswith(".py"))
    return [_path(folder, entry) for entry in files if entry[:-3] not in workloads]


def beside(name: str) -> str:
    """Return a network's statement and the code of each framework measured by default: any of them side by side.

    Boxes above choose what is shown; site.css hides the rest, so that no script is needed.
    """
    known = [("NumPy statement", f"bench/workloads/{name}.py"), *((each.title, each.path) for each in answers(name)
             if is_of_today(each.environments))]  # fmt: skip
    boxes = html.join(_box(number, title) for number, (title, _) in enumerate(known, 1))
    blocks = [block(path, kind=f"code-{number}") for number, (_, path) in enumerate(known, 1)]
    chosen = f'<fieldset class="choose"><legend>Show side by side</legend>{boxes}</fieldset>'
    return f'!!! stone ""\n\n{indented(chr(10).join([chosen, "", *blocks]))}'


def _box(number: int, title: str) -> html.Markup:
    checked = " checked" * (number in SHOWN)
    box = html.Markup(f'<input type="checkbox" class="pick-{number}"{checked}>')
    return html.element("label", html.join([box, " ", title]))


def elsewhere(name: str, root: str) -> list[html.Markup]:
    """Return links to the code of all other frameworks that answer a network, on a page each."""
    known = [
        (each.environments[0].framework, each.title) for each in answers(name) if not is_of_today(each.environments)
    ]
    return [html.link(f"{root}generated/code/{own}/#{name}", title) for own, title in known]


def page(name: str) -> str:
    """Return a framework's page of code: what its environments are, its adapter, and models shown nowhere else."""
    own = environments(name)
    folder = own[0].folder
    models = [] if is_of_today(own) else registry.answered(own[0])
    return template.render(
        "code.md",
        title=dated_title(own),
        definition=html.Markup(block(_path(folder, "framework.toml"), language="toml")),
        adapter=[html.Markup(block(path)) for path in shared(folder)],
        models=[(each, units.workload_title(each), html.Markup(block(_path(folder, f"{each}.py")))) for each in models],
        back=f"../../frameworks/{name}/",
    )


def block(path: str, kind: str = "", language: str = "python") -> str:
    """Return a file of the repository as a block of code, kept out of the search index: every page fetches that."""
    classes = f".{language} .{kind}" if kind else f".{language}"
    return f'``` {{ {classes} title="{path}" data-search-exclude }}\n--8<-- "{path}"\n```\n'


def indented(text: str) -> str:
    """Return Markdown as the content of a tab or of a box."""
    return "".join(f"    {line}\n" if line else "\n" for line in text.split("\n"))


def _path(folder: str, entry: str) -> str:
    return os.path.relpath(os.path.join(folder, entry), registry.ROOT).replace(os.sep, "/")


def since(found: Found, name: str) -> dict[str, list[str]]:
    """Return the environments in which a workload's code is not as it was measured, by what of it: keys of CHANGED."""
    known, campaigns = registry.environments(), {(each.machine, each.name): each for each in found.results.shown}
    runs = found.results.runs.loc[found.results.runs["workload"] == name, list(MEASURED)].dropna().drop_duplicates()
    titles: dict[str | None, set[str]] = {}
    for machine, campaign, own, measured, proven in runs.itertuples(index=False):
        if own in known:
            changed = coverage.code_since(known[own], name, [measured], [proven], campaigns[machine, campaign])
            titles.setdefault(changed, set()).add(known[own].title)
    return {why: sorted(titles[why]) for why in CHANGED if why in titles}


def changed(found: Found, name: str) -> list[str]:
    """Return a note when a file shown is not the one that was measured, another when the code that runs it is not."""
    notes = [CHANGED[why].format(units.count(len(titles), "environment")) for why, titles in since(found, name).items()]
    return [in_full(note, "changed") for note in notes]
