"""One page per workload: the question, its answers with intervals, the figures, and the very code that was measured."""

import os
from collections.abc import Iterator, Mapping
from typing import Any

from analysis import figures, html, words
from analysis.estimates import Cell, Estimates
from analysis.html import Markup, Wide
from analysis.pages import NOTHING, Found, competitor, facts, figure, with_bounds, workload_title
from analysis.pages.home import leaders
from bench import proof, registry

ROOT = "../../../"  # from generated/workloads/<name>/ to the site's top
COLUMNS = (
    "environment and mode",
    "rank",
    "time per step",
    "times the fastest",
    "first step, cold",
    "first step, warm",
    "memory",
    "parity",
    "rounds",
)


def index() -> str:
    """Return the page that lists the workloads."""
    parts = [
        "# Workloads\n",
        "Each workload is a network, its data, its loss and its optimiser, stated once in NumPy.\n",
    ]
    for name in registry.workload_names():
        problem = registry.workload(name)
        parts.append(f"## [{workload_title(name)}]({name}.md)\n\n{_description(name)}\n\n{_sizes(problem)}\n")
    return "\n".join(parts)


def page(found: Found, name: str) -> str:
    """Return one workload's page."""
    answers = any(found.of(machine, name) for machine in found.results.machines)
    parts = [
        f"# {workload_title(name)}\n\n{_description(name)}\n\n{_sizes(registry.workload(name))}\n",
        _collapsed("The problem, stated in NumPy", f"bench/workloads/{name}.py"),
        *(
            [_machine(found, name, machine, number) for number, machine in enumerate(found.results.machines, 1)]
            if answers
            else [f"## Results\n\n{NOTHING}"]
        ),
        "\n## The code that was measured\n",
        *_changed(found, name),
        *_tabs(name),
    ]
    return "\n".join(parts)


def _description(name: str) -> str:
    return " ".join(str(registry.workload(name).__doc__).split("\n")[1:]).strip()


def _sizes(problem: Any) -> str:
    sizes = words.listing(str(size) for size in problem.BATCH_SIZES)
    optimizers = words.listing(f"`{optimizer}`" for optimizer in problem.OPTIMIZERS.values())
    return f"Batch size {sizes}; optimiser {optimizers}." if optimizers else f"Batch size {sizes}; forward only."


def _collapsed(title: str, path: str) -> str:
    return f'??? abstract "{title}"\n\n' + _indented(_code(path))


def _code(path: str) -> str:
    return f'``` python title="{path}"\n--8<-- "{path}"\n```\n'


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" if line else "\n" for line in text.split("\n"))


def _machine(found: Found, name: str, machine: str, number: int) -> str:
    several = len(found.results.machines) > 1
    where = f", machine {number}" if several else ""
    answers = found.of(machine, name)
    if not answers:
        return f"## Results{where}\n\n{html.paragraph('This machine has not measured this workload.', 'missing')}"
    about = dict(facts(found.results.campaigns[machine]))
    line = html.paragraph(
        f"{about['machine']}: {about['processor']}; measured {about['measured']}; profile {about['profile']}.", "source"
    )
    sections = [f"### {heading(each)}\n\n{html.paragraph(leaders(each))}\n{table(found, each)}" for each in answers]
    pictures = [
        _picture(found, module, key, name, machine)
        for key, module in figures.found().items()
        if module.SCOPE == "workload"
    ]
    return "\n".join([f"## Results{where}\n", line, *sections, f"\n## Figures{where}\n", *pictures])


def heading(answer: Estimates) -> str:
    """Return a question as a heading: from the project's own words only, since a title is read unescaped."""
    about = answer.question
    optimizer = "" if about.optimizer == "none" else f", {about.optimizer}"
    where = f"{about.precision}, {about.device.upper()}, {about.tier} tier"
    return f"{words.TASKS[about.task].capitalize()}, batch size {about.batch_size}{optimizer}, {where}"


def _picture(found: Found, module: Any, key: str, name: str, machine: str) -> str:
    return f"### {figures.title(module)}\n\n{figures.caption(module)}\n\n{figure(found, key, name, machine, ROOT)}"


def table(found: Found, answer: Estimates) -> Markup:
    """Return a question's answers, those without a time with their reason."""
    cells = answer.cells
    step = words.common([cell.time.value for cell in cells if cell.time], words.SECONDS)
    first = words.common(
        [value for cell in cells for value in (cell.first_step_cold_s, cell.first_step_warm_s)], words.SECONDS
    )
    size = words.common([cell.memory_bytes for cell in cells], words.BYTES)
    units = ("", "", f" ({step.name})", "", f" ({first.name})", f" ({first.name})", f" ({size.name})", "", "")
    header = [f"{column}{unit}" for column, unit in zip(COLUMNS, units, strict=True)]
    rows = [_row(found, answer, cell, (step, first, size)) for cell in cells]
    caption = (
        f"{workload_title(answer.question.workload)}: {words.question(answer.question)}. Small print: 99 % intervals."
    )
    return html.table(caption, header, rows, "answers")


def _row(found: Found, answer: Estimates, cell: Cell, units: tuple[words.Unit, words.Unit, words.Unit]) -> list[str]:
    step, first, size = units
    name = competitor(cell.title, cell.row, cell.is_default)
    if cell.time is None:
        return [name, Wide(html.safe(cell.reason))]
    return [
        name,
        html.element("b", words.rank(answer, cell)),
        with_bounds(step(cell.time.value), words.between(cell.time, step)),
        with_bounds(words.ratio(cell), words.ratio_between(cell)) if cell.to_fastest else words.ratio(cell),
        first(cell.first_step_cold_s),
        first(cell.first_step_warm_s),
        size(cell.memory_bytes),
        parity_mark(found.matrix, answer, cell),
        _rounds(cell),
    ]


def _rounds(cell: Cell) -> Markup:
    notes = [f"{cell.unsteady} not steady"] if cell.unsteady else []
    notes += [str(cell.reason)] if cell.reason else []
    return html.join([words.rounds(cell), *(html.element("small", html.safe(note, 80)) for note in notes)])


def parity_mark(matrix: Any, answer: Estimates, cell: Cell) -> Markup:
    """Return with how many other answers a competitor's answer agrees; a link to the proof."""
    rows = [row for row in matrix if _is_about(row, answer, cell)]
    if not rows:
        return html.Markup(words.NONE)
    agree = sum(bool(row["passes"]) for row in rows)
    mark = "✓" if 2 * agree > len(rows) else "✗"
    return html.link(f"{ROOT}parity/", f"{mark} {agree} of {len(rows)}")


def _is_about(row: Mapping[str, Any], answer: Estimates, cell: Cell) -> bool:
    about = answer.question
    is_ours = (row["environment_a"], row["mode_a"]) == cell.row and row["environment_b"] != cell.row[0]
    return is_ours and row["workload"] == about.workload and row["optimizer"] == about.optimizer


def _changed(found: Found, name: str) -> list[str]:
    """Return a note when a file shown is not the one that was measured."""
    runs = found.results.runs
    titles = set()
    for environment in registry.environments().values():
        measured = runs[(runs["workload"] == name) & (runs["environment"] == environment.name)]["code"].dropna()
        path = registry.model_path(environment, name)
        if len(measured) and os.path.exists(path) and proof.code_hash(path) not in set(measured):
            titles.add(environment.title)
    if not titles:
        return []
    note = f"Changed since the measurement: the files of {words.listing(sorted(titles))} are shown as they are now."
    return [html.paragraph(note, "changed")]


def _tabs(name: str) -> Iterator[str]:
    """Return a tab for each framework's folder that answers the workload, in the order of the folders."""
    folders: dict[str, list[registry.Environment]] = {}
    for environment in registry.environments().values():
        folders.setdefault(environment.folder, []).append(environment)
    for folder, environments in sorted(folders.items()):
        if os.path.exists(os.path.join(folder, f"{name}.py")):
            yield f'=== "{framework_title(environments)}"\n\n' + _indented(_framework(folder, environments, name))


def _framework(folder: str, environments: list[registry.Environment], name: str) -> str:
    rows = words.listing(f"{each.title} ({words.listing(mode.name for mode in each.modes)})" for each in environments)
    shared = [
        entry
        for entry in sorted(os.listdir(folder))
        if entry.endswith(".py") and entry[:-3] not in registry.workload_names()
    ]
    adapters = [_collapsed(f"The adapter: {entry}", _path(folder, entry)) for entry in shared]
    return "\n".join([f"Measured by {rows}.\n", _code(_path(folder, f"{name}.py")), *adapters])


def _path(folder: str, entry: str) -> str:
    return os.path.relpath(os.path.join(folder, entry), registry.ROOT).replace(os.sep, "/")


def framework_title(environments: list[registry.Environment]) -> str:
    """Return the words that the titles of a framework's environments begin with, without a last "on"."""
    titles = [each.title.split() for each in environments]
    shared = (
        [parts[0] for parts in zip(*titles, strict=False) if len(set(parts)) == 1] if len(titles) > 1 else titles[0]
    )
    kept = shared[:-1] if shared and shared[-1].islower() else shared
    return " ".join(kept) or environments[0].framework
