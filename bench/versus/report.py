"""Write a comparison: a table for the terminal, Markdown to paste into an issue, JSON, or a page of HTML."""

import argparse
import html
import json
import math
import os
from collections.abc import Iterable, Iterator

from bench.units import aligned, size, step_time
from bench.versus.comparison import Document

STYLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "report.css")
HEADS = ("program", "step", "first step", "start", "peak memory", "cores used", "runs in")


def write(found: Document, arguments: argparse.Namespace) -> None:
    """Print the table or JSON, and write the files that the command names."""
    if arguments.json:
        print(json.dumps(found, indent=1))
    else:
        print("\n".join(terminal(found)))
    for path, content in ((arguments.report, markdown), (arguments.html, page)):
        if path:
            with open(os.path.join(arguments.folder, path), "w", encoding="utf-8") as file:
                file.write(content(found))


def terminal(found: Document) -> list[str]:
    """Return the lines of the table, the ratios, the work and the causes."""
    lines = ["", *aligned([HEADS, *_rows(found)]), "", *_facts(found)]
    for pair in found["pairs"]:
        lines += ["", *sentences(pair, found), *_causes(pair)]
    return [*lines, *_unknown(found), ""]


def _unknown(found: Document) -> list[str]:
    problems = [problem for pair in found["pairs"] for problem in pair["problems"]]
    return [f"Unknown: {problem}" for problem in [*found["unknown"], *problems]]


def _rows(found: Document) -> list[tuple[str, ...]]:
    is_per_example = all(one["examples_per_step"] for one in found["programs"])
    return [
        (
            f"{one['letter']}: {one['file']}", _step(one, is_per_example),
            step_time(one["first_step_s"]), f"{one['start_s']:.1f} s",
            size(one["peak_bytes"]) if one["peak_bytes"] else "unknown", f"{one['cores_used']:.1f}", _where(one),
        )
        for one in found["programs"]
    ]  # fmt: skip


def _step(one: Document, is_per_example: bool) -> str:
    each = f", {step_time(one['step_s'] / one['examples_per_step'])} per example" if is_per_example else ""
    return f"{step_time(one['step_s'])} per {one['unit']}{each}"


def _where(one: Document) -> str:
    versions = [f"{name} {version}" for name, version in list(one["versions"].items())[:2]]
    settings = [f"{name}={value}" for name, value in one["settings"].items()]
    return ", ".join([*(versions or filter(None, [one["environment"]])), f"Python {one['python']}", *settings])


def _facts(found: Document) -> Iterator[str]:
    """Yield what must be known about the measurement itself."""
    variables = found["machine"]["variables"]
    threads = [f"{one['letter']} {one['threads']}" for one in found["programs"] if one["threads"]]
    threads += [f"{name}={value}" for name, value in variables.items()]
    rounds = f"{found['rounds']} round{'s' * (found['rounds'] > 1)}"
    yield f"{rounds} of fresh processes in turns, {found['seconds']:.0f} s in all."
    if found["machine"]["sharing"]:
        names = ", ".join(f"{name}={value}" for name, value in found["machine"]["sharing"].items())
        yield f"Set so that programs share the GPU's memory, unless you set them: {names}."
    if found["busy"]:
        yield found["busy"]
    yield f"Threads as the programs set them: {', '.join(threads) or 'unknown'}."
    for one in found["programs"]:
        yield f"{one['letter']}: waited by {'; '.join(one['waits']) or 'nothing: no known framework is imported'}."
        if one["peak_device_bytes"]:
            yield f"{one['letter']}: its arrays take at most {size(one['peak_device_bytes'])} of the GPU's memory."
        if one["device_s"]:
            yield f"{one['letter']}: the GPU computes for {step_time(one['device_s'])} of each {one['unit']}."
        if one["has_stalls"]:
            yield (
                f"{one['letter']}: some steps stall. The mean {one['unit']} takes {step_time(one['mean_step_s'])}, "
                f"the usual one {step_time(one['step_s'])}."
            )
        if one["growth_bytes_per_step"]:
            yield f"{one['letter']}: memory grows by {size(one['growth_bytes_per_step'])} per {one['unit']}."


def sentences(pair: Document, found: Document) -> Iterator[str]:
    """Yield the ratio of a pair with its verdict, and whether the work was the same."""
    yield headline(pair)
    if pair["word"] == "open":
        yield f"Not yet decided: {_more(pair, found)}"
    word = {"shown": "shown", "not shown": "not shown", "different": "no, it differs"}[pair["work"]["verdict"]]
    yield f"Same work: {word}. {' '.join(pair['work']['sentences'])}"


def headline(pair: Document) -> str:
    """Return a pair's ratio in a sentence."""
    rounds = f"{pair['rounds']} round{'s' * (pair['rounds'] > 1)}"
    digits = ".3f" if abs(pair["value"] - 1) < 0.1 else ".3g"
    interval = f"99 % interval {pair['low']:{digits}} to {pair['high']:{digits}}, {rounds}" if pair["low"] else rounds
    if pair["word"] == "tie":
        return f"{pair['one']} and {pair['other']} tie: ratio {pair['value']:.3f} ({interval})."
    return f"{pair['one']} takes {pair['value']:{digits}} times as long as {pair['other']} ({interval})."


def _more(pair: Document, found: Document) -> str:
    if found["note"]:
        return str(found["note"])
    if not pair["more_rounds"]:
        return "the rounds differ too much from each other. Measure on a quieter machine."
    budget_s = found["seconds"] + pair["more_s"] * 1.2
    return (
        f"{pair['more_rounds']} more round{'s' * (pair['more_rounds'] > 1)}, about {pair['more_s']:.0f} s, would "
        f"probably decide (--budget {math.ceil(budget_s / 10) * 10}s)."
    )


def _causes(pair: Document) -> Iterator[str]:
    own = [cause for cause in pair["causes"] if not cause["is_on_both"]]
    both: dict[str, list[Document]] = {}
    for cause in pair["causes"]:
        if cause["is_on_both"]:
            both.setdefault(cause["probe"], []).append(cause)
    if own:
        yield "Likely causes:"
    for number, cause in enumerate(own, 1):
        yield f"  {number}. {_cause(cause)}"
    if not pair["has_looks"]:
        yield "Causes were not looked for."
    elif not own:
        yield "No likely cause was found." if pair["word"] == "different" else "No cause to name."
    if both:
        yield "Both programs:"
    for shared in both.values():
        evidence = " ".join(f"{cause['side']}: {cause['finding']['evidence']}" for cause in shared)
        yield f"  - {shared[0]['cause']} {evidence} {shared[0]['finding']['remedy']}".replace("\n", " ")


def _cause(cause: Document) -> str:
    finding = cause["finding"]
    side = f"{cause['side']}: " if cause["side"] else ""
    cost = f" It costs {step_time(finding['cost_s'])} per {cause['unit']} (measured)." if finding["cost_s"] else ""
    cost += _tried(finding.get("tried"))
    lesson = f" Lesson: {cause['lesson']}" if cause["lesson"] else ""
    return f"{side}{cause['cause']} {finding['evidence']}{cost} {finding['remedy']}{lesson}".replace("\n", " ")


def _tried(tried: Document | None) -> str:
    """Return what a rerun with the remedy measured, as the end of a sentence about costs."""
    if not tried:
        return ""
    if "reason" in tried:
        return f" {tried['setting']} could not be tried: {tried['reason']}"
    change = {"tie": "changes nothing", "open": "is not decided"}.get(tried["word"], "was measured")
    return (
        f" {tried['setting']} {change}: {step_time(tried['without_s'])} without, {step_time(tried['with_s'])} with it."
    )


def markdown(found: Document) -> str:
    """Return the report as Markdown, made to be pasted into an issue."""
    lines = [f"### {headline(found['pairs'][-1])}"]  # the slowest program
    lines += ["", _table_of(found), "", *(f"- {fact}" for fact in _facts(found))]
    for pair in found["pairs"]:
        first, *others = sentences(pair, found)
        lines += ["", *[f"**{first}**"] * (len(found["pairs"]) > 1), *others]
        lines += ["", *_with_lists(_causes(pair))]
    lines += ["", f"Machine: {_machine(found)}.", f"Command: `{found['command']}`"]
    lines += _unknown(found)
    for one in found["programs"]:
        notice = ", paths are redacted" if one["is_redacted"] else ""
        fence = "`" * (3 + one["source"].count("```"))
        lines += ["", f"<details><summary>{one['letter']}: {one['file']}{notice}</summary>", "",
                  f"{fence}python", one["source"].rstrip(), fence, "", "</details>"]  # fmt: skip
    return "\n".join(lines) + "\n"


def _with_lists(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines with indented items as Markdown's lists: not indented, and an empty line before and after a list."""
    was_item = False
    for line in lines:
        is_item = line.startswith("  ")
        if is_item != was_item:
            yield ""
        yield line.strip()
        was_item = is_item


def _table_of(found: Document) -> str:
    rows = [HEADS, ("---",) * len(HEADS), *_rows(found)]
    return "\n".join(f"| {' | '.join(cell.replace('|', ' ') for cell in row)} |" for row in rows)


def _machine(found: Document) -> str:
    about = found["machine"]
    quota = f", limited to {about['quota_cores']:.3g} cores" if about["quota_cores"] else ""
    gpu = f", {about['gpu']}" if about["gpu"] else ""
    return f"{about['cpu']}, {about['cores']} cores{quota}, {size(about['memory_bytes'])}, {about['system']}{gpu}"


def page(found: Document) -> str:
    """Return the report as a page of HTML that needs no other file."""
    cells = [HEADS, *_rows(found)]
    table = "".join(
        f"<tr>{''.join(f'<{tag}>{html.escape(cell)}</{tag}>' for cell in row)}</tr>"
        for row, tag in zip(cells, ["th"] + ["td"] * (len(cells) - 1))
    )
    parts = []
    for pair in found["pairs"]:
        first, *others = sentences(pair, found)
        parts += [f"<h2>{html.escape(first)}</h2>", *(f"<p>{html.escape(line)}</p>" for line in others)]
        parts += [f"<p>{html.escape(line.strip())}</p>" for line in _causes(pair)]
    notes = "".join(f"<p>{html.escape(line)}</p>" for line in _facts(found))
    sources = "".join(
        f"<details><summary>{html.escape(one['letter'])}: {html.escape(one['file'])}"
        f"{', paths are redacted' * one['is_redacted']}</summary><pre>{html.escape(one['source'])}</pre></details>"
        for one in found["programs"]
    )
    title = html.escape(" and ".join(one["file"] for one in found["programs"]))
    with open(STYLE, encoding="utf-8") as file:
        style = file.read()
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>{style}</style>'
        f"</head><body><h1>{title}</h1><table>{table}</table>{''.join(parts)}{notes}"
        f"<p>Machine: {html.escape(_machine(found))}.</p>"
        f"<p>Command: <code>{html.escape(found['command'])}</code></p>{sources}</body></html>\n"
    )
