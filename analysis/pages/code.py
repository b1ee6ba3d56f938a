"""The code that was measured: a tab for each framework that answers a workload, included from the repository."""

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from analysis import coverage, html, words
from analysis.pages import Found
from bench import registry


class Answer(NamedTuple):
    """One framework's answer to a workload; paths start at the repository's root."""

    title: str
    environments: Sequence[registry.Environment]
    path: str  # the model file
    shared: Sequence[str]  # the adapter, and what else lies beside it for all workloads


def answers(name: str) -> Iterator[Answer]:
    """Yield the answer of each framework's folder that has one, in the order of the folders."""
    workloads = registry.workload_names()
    for folder, environments in sorted(folders().items()):
        if os.path.exists(os.path.join(folder, f"{name}.py")):
            shared = [
                _path(folder, entry)
                for entry in sorted(os.listdir(folder))
                if entry.endswith(".py") and entry[:-3] not in workloads
            ]
            yield Answer(framework_title(environments), environments, _path(folder, f"{name}.py"), shared)


def folders() -> dict[str, list[registry.Environment]]:
    """Return each framework's environments by its folder."""
    found: dict[str, list[registry.Environment]] = {}
    for environment in registry.environments().values():
        found.setdefault(environment.folder, []).append(environment)
    return found


def statement(name: str) -> str:
    """Return the path of a workload's statement in NumPy."""
    return f"bench/workloads/{name}.py"


def tab(answer: Answer, parts: Sequence[str]) -> str:
    """Return a framework's tab with these parts in it."""
    return f'=== "{answer.title}"\n\n' + indented("\n".join(parts))


def measured_by(answer: Answer) -> str:
    """Return which environments measure a framework's answer, with their modes."""
    rows = (f"{each.title} ({words.listing(mode.name for mode in each.modes)})" for each in answer.environments)
    return f"Measured by {words.listing(rows)}.\n"


def collapsed(title: str, path: str) -> str:
    """Return a file below a title that unfolds."""
    return f'??? abstract "{title}"\n\n' + indented(block(path))


def block(path: str) -> str:
    """Return a file of the repository as a block of code, kept out of the search index: every page fetches that."""
    return f'``` {{ .python title="{path}" data-search-exclude }}\n--8<-- "{path}"\n```\n'


def indented(text: str) -> str:
    """Return Markdown as the content of a tab or of a box."""
    return "".join(f"    {line}\n" if line else "\n" for line in text.split("\n"))


def _path(folder: str, entry: str) -> str:
    return os.path.relpath(os.path.join(folder, entry), registry.ROOT).replace(os.sep, "/")


def changed(found: Found, name: str) -> list[str]:
    """Return a note when a file shown is not the one that was measured."""
    runs = found.results.runs[found.results.runs["workload"] == name]
    titles = set()
    for environment in registry.environments().values():
        measured = runs[runs["environment"] == environment.name]["code"].dropna()
        shown = coverage.shown_code(environment, name)
        if len(measured) and shown and shown not in set(measured):
            titles.add(environment.title)
    if not titles:
        return []
    note = f"Changed since the measurement: the files of {words.listing(sorted(titles))} are shown as they are now."
    return [html.paragraph(note, "changed")]


def framework_title(environments: list[registry.Environment]) -> str:
    """Return the words that the titles of a framework's environments begin with, without a last "on"."""
    titles = [each.title.split() for each in environments]
    shared = (
        [parts[0] for parts in zip(*titles, strict=False) if len(set(parts)) == 1] if len(titles) > 1 else titles[0]
    )
    kept = shared[:-1] if shared and shared[-1].islower() else shared
    return " ".join(kept) or environments[0].framework
