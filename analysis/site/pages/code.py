"""The code that was measured: a tab for each framework that answers a workload, included from the repository."""

import ast
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from analysis import units
from analysis.compare import coverage
from analysis.site.pages import Found, in_full
from analysis.text.frameworks import folders, framework_title
from bench import proof, registry
from bench.errors import DefinitionError

MEASURED = ("machine", "campaign", "environment", "code", "proof")
ADAPTER = "the-adapter"  # where a framework's page shows it
CHANGED = {
    coverage.OTHER_CODE: "Changed since the measurement: the files of {} are shown as they are now.",
    coverage.OTHER_PROOF: "Changed since the measurement: the adapter of {}, or the problem's statement. The files "
    "that answer it are as they were.",
}


class Implementation(NamedTuple):
    """One framework's answer to a workload; paths start at the repository's root."""

    title: str
    environments: Sequence[registry.Environment]
    path: str  # the model file


def answers(name: str) -> Iterator[Implementation]:
    """Yield the answer of each framework's folder that has one: those asked by default first, each kind by folder."""
    for folder, environments in sorted(folders().items(), key=_asked_first):
        if os.path.exists(os.path.join(folder, f"{name}.py")):
            yield Implementation(framework_title(environments), environments, _path(folder, f"{name}.py"))


def _asked_first(entry: tuple[str, list[registry.Environment]]) -> tuple[bool, str]:
    folder, environments = entry
    return not any(each.is_default for each in environments), folder


def shared(folder: str) -> list[str]:
    """Return the paths of what a framework's answers share: the adapter, and what else lies beside it."""
    workloads = registry.workload_names()
    files = (entry for entry in sorted(os.listdir(folder)) if entry.endswith(".py"))
    return [_path(folder, entry) for entry in files if entry[:-3] not in workloads]


def statements(name: str) -> list[str]:
    """Return the paths of a workload's statement: its own file, and those of the workloads that it builds on."""
    bases = (path for base in proof.builds_on(name) for path in statements(base))
    return list(dict.fromkeys([f"bench/workloads/{name}.py", *bases]))


def tab(label: str, parts: Sequence[str], begins_group: bool = False) -> str:
    """Return a tab with these parts in it, beside those before it unless it begins a group of its own."""
    return f'==={"!" * begins_group} "{label}"\n\n' + indented("\n".join(parts))


def measured_by(answer: Implementation) -> str:
    """Return which environments measure a framework's answer, with their modes."""
    rows = (f"{each.title} ({units.listing(mode.name for mode in each.modes)})" for each in answer.environments)
    return f"Measured by {units.listing(rows)}.\n{{ data-search-exclude }}\n"


def collapsed(title: str, *paths: str) -> str:
    """Return files below a title that unfolds."""
    return f'??? abstract "{title}"\n\n' + indented(block(*paths))


def block(*paths: str) -> str:
    """Return files of the repository as one block of code, kept out of the search index: every page fetches that."""
    title, code = ", then ".join(paths), "\n\n".join(f'--8<-- "{path}"' for path in paths)
    return f'``` {{ .python title="{title}" data-search-exclude }}\n{code}\n```\n'


def lines(path: str) -> int:
    """Return how many lines of a file of the repository are neither blank nor a comment."""
    stripped = map(str.strip, Path(registry.ROOT, path).read_text(encoding="utf-8").splitlines())
    return sum(bool(each) and not each.startswith("#") for each in stripped)


def training_step(answer: Implementation) -> str:
    """Return what of a framework's adapter makes a training step, as its framework.toml names it; nothing of none.

    Raises:
        DefinitionError: a file has no function of that name.
    """
    folder = answer.environments[0].folder
    return "".join(_function(folder, *place.split(":")) for place in answer.environments[0].training_step)


def _function(folder: str, entry: str, name: str) -> str:
    """Return a function or a method of a framework's file as a block of code."""
    tree = ast.parse(Path(folder, entry).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            lines = f"{_path(folder, entry)}:{node.lineno}:{node.end_lineno}"
            title = f"the training step: {_path(folder, entry)}, line {node.lineno}"
            return f'``` {{ .python title="{title}" data-search-exclude }}\n--8<-- "{lines}"\n```\n'
    raise DefinitionError(f"{folder}/framework.toml: training_step: {entry} has no function {name}")


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
    """Return a note when a file shown is not the one that was measured, another when what stands behind it is not."""
    notes = [CHANGED[why].format(units.listing(titles)) for why, titles in since(found, name).items()]
    return [in_full(note, "changed") for note in notes]
