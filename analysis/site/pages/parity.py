"""The parity matrix: each pair of answers to each question, with the largest error as a share of what is tolerated."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from analysis import units
from analysis.site.pages import Found, competitor
from analysis.stats import Row
from analysis.text import html
from analysis.units import workload_title
from bench import parity, registry

Line = Mapping[str, Any]


def page(found: Found) -> str:
    """Return the fragment of the parity page: how many agree, the tolerances, one matrix per workload and question."""
    tolerances = html.table("What is compared, and the largest relative error that passes", ("quantity", "tolerance"),
                            [(name, f"{value:g}") for name, value in parity.TOLERANCES.items()], "facts")  # fmt: skip
    return "\n".join(
        [_finding(found.matrix), tolerances, *(_workload(found, name) for name in registry.workload_names())]
    )


def _workload(found: Found, name: str) -> str:
    parts = [f"## {workload_title(name)} {{ #{name} }}\n"]  # where the workload's page leads to
    for optimizer in registry.optimizers(name):
        lines = [line for line in found.matrix if (line["workload"], line["optimizer"]) == (name, optimizer)]
        asked = "inference" if optimizer == "none" else f"trained with {optimizer}"
        parts.append(f"### {asked.capitalize()} {{ data-search-exclude }}\n\n{_matrix(name, asked, lines)}")
    return "\n".join(parts)


def _matrix(name: str, asked: str, lines: Sequence[Line]) -> str:
    if not lines:
        return str(html.paragraph("No two environments have answered this question yet.", "missing"))
    subjects = sorted({_subject(line, "a") for line in lines})
    by_pair = {(_subject(line, "a"), _subject(line, "b")): line for line in lines}
    rows = [[_numbered(number, row), *(_cell(by_pair.get((row, other)), row, other) for other in subjects)]
            for number, row in enumerate(subjects, 1)]  # fmt: skip
    header = ["answer", *(str(number) for number in range(1, len(subjects) + 1))]
    caption = f"{workload_title(name)}, {asked}: each pair's largest error as a share of its tolerance"
    return "\n".join([_finding(lines), html.table(caption, header, rows, "matrix"), *_failures(lines)])


def _finding(lines: Sequence[Line]) -> html.Markup:
    passed = sum(bool(line["passes"]) for line in lines)
    return html.paragraph(f"{passed} of {len(lines)} comparisons pass.")


def _numbered(number: int, row: Row) -> html.Markup:
    known = registry.environments()
    title = known[row[0]].title if row[0] in known else row[0]
    return html.join([f"{number}. ", competitor(title, row)])


def _cell(line: Line | None, row: Row, other: Row) -> html.Markup:
    if line is None:
        return html.Markup("" if row == other else units.NONE)
    mark = "✓" if line["passes"] else "✗"
    return html.element("span", f"{mark} {share(line['comparison'])}", kind="passes" if line["passes"] else "breaks")


def share(comparison: parity.Comparison | None) -> str:
    """Return a comparison's largest error as a share of its tolerance: in percent, or as a multiple when far beyond."""
    if comparison is None:
        return ""
    worst = max(error / parity.TOLERANCES[kind] for kind, error in comparison.errors.items())
    if not math.isfinite(worst):
        return "∞"
    if worst > 10:
        return f"{worst:,.0f} \u00d7"
    return "< 1 %" if worst < 0.01 else f"{100 * worst:,.0f} %"


def _subject(line: Line, side: str) -> Row:
    return str(line[f"environment_{side}"]), str(line[f"mode_{side}"])


def _failures(lines: Sequence[Line]) -> list[html.Markup]:
    failed = [
        line for line in lines if not line["passes"] and _subject(line, "a") < _subject(line, "b")
    ]  # each pair once
    if not failed:
        return []
    rows = [
        (*(f"{_subject(line, side)[0]} ({_subject(line, side)[1]})" for side in "ab"), line["reason"])
        for line in failed
    ]
    return [html.table("Comparisons that do not pass", ("answer", "against", "why"), rows, "failures")]
