"""Parity: with how many each answer to each question agrees, and its largest error as a share of what is tolerated."""

import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from analysis import units
from analysis.site.pages import Found, competitor
from analysis.stats import Row
from analysis.text import html
from analysis.units import workload_title
from bench import parity, registry

HEADER = ("answer", "agrees with", "largest error, as a share of its tolerance", "of", "against")

Line = Mapping[str, Any]


def page(found: Found) -> str:
    """Return the fragment of the parity page: how many agree, the tolerances, and the answers to each question."""
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
        parts.append(f"### {asked.capitalize()} {{ data-search-exclude }}\n\n{_answers(name, asked, lines)}")
    return "\n".join(parts)


def _answers(name: str, asked: str, lines: Sequence[Line]) -> str:
    if not lines:
        return str(html.paragraph("No two environments have answered this question yet.", "missing"))
    ordered = sorted(lines, key=lambda line: (_subject(line, "a"), _subject(line, "b")))
    rows = [_answer(row, list(own)) for row, own in groupby(ordered, lambda line: _subject(line, "a"))]
    caption = f"{workload_title(name)}, {asked}: each answer beside all others"
    return "\n".join([_finding(lines), html.table(caption, HEADER, rows, "facts"), *_failures(lines)])


def _answer(row: Row, lines: Sequence[Line]) -> list[html.Cell]:
    """Return with how many others an answer agrees, and the comparison in which it is nearest to failing, or fails."""
    worst = max(lines, key=lambda line: largest(line["comparison"])[0])
    passed = sum(bool(line["passes"]) for line in lines)
    mark, kind = ("✓", "passes") if passed == len(lines) else ("✗", "breaks")
    told = html.element("span", f"{mark} {passed} of {len(lines)}", kind=kind)
    comparison = worst["comparison"]
    return [_titled(row), told, share(comparison) or units.NONE, largest(comparison)[1], _titled(_subject(worst, "b"))]


def largest(comparison: parity.Comparison | None) -> tuple[float, str]:
    """Return a comparison's largest error as a share of its tolerance, and of what; without one, it is beyond all."""
    if comparison is None:
        return math.inf, units.NONE
    shares = [(error / parity.TOLERANCES[kind], kind) for kind, error in comparison.errors.items()]
    return max((math.inf if math.isnan(of_it) else of_it, kind) for of_it, kind in shares)


def _finding(lines: Sequence[Line]) -> html.Markup:
    passed = sum(bool(line["passes"]) for line in lines)
    return html.paragraph(f"{passed} of {len(lines)} comparisons pass.")


def _titled(row: Row) -> html.Markup:
    known = registry.environments()
    return competitor(known[row[0]].title if row[0] in known else row[0], row)


def share(comparison: parity.Comparison | None) -> str:
    """Return a comparison's largest error as a share of its tolerance: in percent, or as a multiple when far beyond."""
    if comparison is None:
        return ""
    worst, _ = largest(comparison)
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
