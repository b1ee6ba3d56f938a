"""The Results table: every cell to filter and sort; without scripts, a plain table. Also the list of data files.

docs/assets/table.js shows the file of `data`, which columnar.py describes, in the place of the plain table.
"""

import itertools
from collections.abc import Iterator

from analysis import data as tables
from analysis import units
from analysis.data import cells, columnar
from analysis.data.cells import At
from analysis.data.columnar import Facet, Number, Text
from analysis.data.schema import json_text
from analysis.estimate.estimates import Question
from analysis.found import Found
from analysis.site import links
from analysis.site.pages import NOTHING
from analysis.site.template import render
from analysis.text import html, sentences
from analysis.units import workload_title
from bench import registry
from bench.cases import TASKS as CASE_TASKS

DATA, MORE = "results.json", "results_details.json"
ROOT = "../"
MOST = 150  # rows of the plain table
TASKS = {**sentences.TASKS, "epochs": "epochs, step by step", "fit": "epochs, own loop", "feed": "from a loader"}
OTHERS = {
    "lessons.json": "Every lesson with its verdict, advice and comparisons (schema: lessons.schema.json).",
    "dictionary.csv": "Every column of every table: type, unit and meaning.",
    "datapackage.json": "The same as a Frictionless data package.",
}
HEADER = ("workload", "framework and mode", "machine and settings", "examples/s", "time", "ratio to the fastest")


def page(found: Found) -> str:
    """Return the fragment of the Results page."""
    if not found.answers:
        return str(NOTHING)
    return render(
        "results.html",
        caption="Default settings at the first question of each workload",
        file=links.data(ROOT, DATA),
        every=links.data(ROOT, cells.TABLE.name),
        header=HEADER,
        rows=list(itertools.islice(_first(found), MOST)),
        kind="results",
    )


def data_files(_: Found) -> str:
    """Return the fragment of the page that lists the data files with their content."""
    files = {table.name: table.about for table in tables.TABLES} | OTHERS
    rows = [(html.link(links.data(ROOT, name), html.element("code", name)), text) for name, text in files.items()]
    return render("table.html", caption="Data files", header=("file", "what it holds"), rows=rows, kind="")


def data(found: Found) -> dict[str, str]:
    """Return the files that the page's script reads, by their names."""
    rows = sorted(cells.rows(found), key=_place)  # stable: within a question, the fastest first
    more, start = links.data(ROOT, MORE), {"result": "measured"}
    columns = columnar.columns(rows, FACETS, NUMBERS, TEXTS, ("throughput", "time"), start, more)
    return {
        f"data/{DATA}": json_text(columns),
        f"data/{MORE}": json_text(columnar.measured(rows, NUMBERS, TEXTS, is_late=True)),
    }


def _place(at: At) -> tuple[bool, int, str, int, Question]:
    """Return a sort key: GPUs first, then by workload, machine and task."""
    question, names = at.asked, registry.workload_names()
    place = names.index(question.workload) if question.workload in names else len(names)
    return question.device != "gpu", place, at.machine, CASE_TASKS.index(question.task), question


def _first(found: Found) -> Iterator[list[str]]:
    """Yield a row for each default mode at each workload's first question, machine by machine, GPUs first."""
    names, campaigns = found.names, found.results.campaigns
    for machine in sorted(found.results.machines, key=lambda name: not campaigns[name].bench.machine.gpu):
        for answer in found.first(machine):
            question = answer.question
            threads = units.count(question.threads, "thread")
            settings = f"{names[machine]}, {sentences.precision(question)}, batch {question.batch_size}, {threads}"
            for cell, time in ((cell, cell.time) for cell in answer.by_time):
                if time:
                    rate, seconds = units.digits(question.batch_size / time.value), units.seconds(time.value)
                    title, mode = workload_title(question.workload), f"{cell.title}, {cell.row[1]}"
                    yield [title, mode, settings, rate, seconds, sentences.ratio(cell)]


def _result(at: At) -> tuple[str, str]:
    status = "measured" if at.cell.time else at.cell.status
    return status, status.replace("_", " ")


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _command(at: At) -> str | None:
    """Return the command without its last options, which name the environment and the mode."""
    command = cells.command(at)
    return command and command.rpartition(" --environment ")[0]


def _slower_than(at: At) -> str | None:
    count = cells.slower_than(at)
    return None if count is None else f"slower than {units.count(count, 'other')}" if count else "none is proven faster"


FACETS = (
    Facet("workload", "workload", lambda at: (at.asked.workload, workload_title(at.asked.workload)), is_first=True,
          is_lead=True),
    Facet("framework", "framework", "framework", is_first=True, is_column=False),
    Facet("machine", "machine", lambda at: (at.asked.machine, at.machine), is_first=True, is_lead=True),
    Facet("precision", "precision", "asked.precision", is_first=True),
    Facet("task", "task", lambda at: (at.asked.task, TASKS[at.asked.task]), is_first=True),
    Facet("environment", "version", lambda at: (at.cell.row[0], at.cell.title), is_column=False),
    Facet("mode", "mode", "cell.row.1", is_column=False),
    Facet("default", "documented mode", lambda at: ("no", "yes")[at.cell.is_default], is_column=False),
    Facet("batch", "batch size", "asked.batch_size", "batch {}"),
    Facet("optimizer", "optimizer", "asked.optimizer"),
    Facet("data", "data", "asked.data", "{} data"),
    Facet("device", "device", "asked.device"),
    Facet("threads", "threads", "asked.threads", "{} threads"),
    Facet("tier", "tier", "asked.tier"),
    Facet("compiled", "compiled", cells.compiled, is_column=False),
    Facet("result", "result", _result, is_column=False),
)  # fmt: skip

NUMBERS = (
    Number("throughput", "examples/s", "1/s", lambda at: at.examples if at.cell.time else None, True),
    Number("time", "time per step or epoch", "s", "cell.time", True),
    Number("ratio", "ratio to the fastest", "x", cells.ratio, True),
    Number("memory", "memory", "B", "cell.memory_bytes", True),
    Number("first_step_cold", "first step, empty caches", "s", "cell.first_step_cold_s", is_late=True),
    Number("first_step_warm", "first step, warm caches", "s", "cell.first_step_warm_s", is_late=True),
    Number("of_product", "share of measured matmul peak", "%", lambda at: _percent(at.cell.used.of_product),
           is_late=True),
    Number("of_peak", "share of data-sheet peak", "%", lambda at: _percent(at.cell.used.of_peak), is_late=True),
    Number("energy", "energy of the GPU", "J", "cell.used.energy_j", is_late=True),
    Number("cores", "cores used", "", "cell.cores", is_late=True),
    Number("rounds", "rounds", "", lambda at: at.cell.rounds or None),
)  # fmt: skip

TEXTS = (
    Text("verdict", "verdict", cells.verdict),
    Text("rank", "rank", _slower_than),
    Text("note", "note", lambda at: cells.note(at.cell)),
    Text("newer", "newer releases", lambda at: at.newer or None, is_late=True),
    Text("days", "measured", lambda at: units.days(at.cell.days) if at.cell.days else None, is_late=True),
    Text("parity", "agrees with other answers", cells.parity, is_late=True),
    Text(
        "code",
        "code",
        lambda at: (
            f"{links.workload(ROOT, at.asked.workload)}#code" if registry.has_workload(at.asked.workload) else None
        ),
        "link",
        is_late=True,
    ),
    Text("command", "measure it again", _command, "code", is_late=True),
)
