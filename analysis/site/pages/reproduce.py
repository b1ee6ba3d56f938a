"""Below a table: in which file its lines lie, and the commands that measure the same question, or one row, again."""

import shlex

from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.found import Found
from analysis.load.campaigns import Campaign
from analysis.site import repository
from analysis.site.pages import competitor
from analysis.text import html
from analysis.text.html import Markup
from bench import registry
from bench.cases import EPOCHS, read_data


def reproduce(found: Found, answer: Estimates) -> Markup:
    """Return where a table's raw lines lie, and how to measure it, or one row of it, again."""
    campaign = of(found, answer)
    paths = [f"results/{each.machine}/{each.name}.jsonl" for each in found.results.answered[answer.question.key]]
    raw = html.join(map(repository.linked, paths), ", ")
    rows = [(competitor(cell.title, cell.row, cell.is_default), _code(row_command(campaign, answer, cell)))
            for cell in answer.measured]  # fmt: skip
    return html.join(
        [
            html.paragraph(html.join(["Every run, block by block, is a line of ", raw, "."])),
            html.paragraph(f"Measure all of this table again, on as many cores. {_source(campaign)}"),
            html.element("pre", _code("\n".join([*checkout(campaign), command(campaign, answer)]))),
            "\n",
            html.table("One row alone, in the same source", ("environment and mode", "command"), rows, "commands"),
        ]
    )


def _code(text: str) -> Markup:
    lines = [html.safe(line, len(line)) for line in text.split("\n")]
    return html.element("code", Markup("\n".join(lines)))


def checkout(campaign: Campaign) -> list[str]:
    """Return the command that fetches the source of a campaign; none where its revision is not known."""
    revision = campaign.bench["revision"]
    return [f"git checkout {revision}"] if revision else []


def _source(campaign: Campaign) -> str:
    if not campaign.bench["revision"]:
        return "Which source was measured is not recorded."
    changed = ", but for changes that were not committed" if campaign.bench["is_dirty"] else ""
    return f"The first line fetches the source that was measured{changed}."


def of(found: Found, answer: Estimates) -> Campaign:
    """Return the newest campaign that a table comes from."""
    return found.results.answered[answer.question.key][-1]


def row_command(campaign: Campaign, answer: Estimates, cell: Cell) -> str:
    """Return the command that asks a question again of one competitor."""
    environment, mode = cell.row
    alone = answer._replace(cells=[cell._replace(is_default=False)])  # its mode is named
    return f"{command(campaign, alone)} {shlex.join(['--environment', environment, '--mode', mode])}"


def command(campaign: Campaign, answer: Estimates) -> str:
    """Return the command that asks a question again: its cases, rounds, threads and budget, and nothing else."""
    bench, about = campaign.bench, answer.question
    options: dict[str, object] = {
        "--workload": about.workload,
        "--task": about.task,
        "--batch-size": about.batch_size,
        **({} if about.optimizer == "none" else {"--optimizer": about.optimizer}),
        "--precision": about.precision,
        **_data(answer),
        "--device": about.device,
        "--threads": about.threads,
        "--profile": bench["profile"],
        "--rounds": max(cell.rounds for cell in answer.measured),
        **({"--budget": f"{bench['budget_s']:.0f}s"} if bench["budget_s"] else {}),
    }
    documented = ["--documented"] if all(cell.is_default for cell in answer.measured) else []
    words = [str(word) for option in options.items() for word in option]
    return shlex.join(["nox", "-s", *_sessions(answer), "--", *words, *documented])


def _data(answer: Estimates) -> dict[str, object]:
    """Return the options that choose the data of a training over a data set."""
    if answer.question.task not in EPOCHS:
        return {}
    data = read_data(answer.question.data)
    examples = {"--examples": data.examples} if data.examples else {}
    return {"--data": "stand-in" if data.is_stand_in else "real", **examples}


def _sessions(answer: Estimates) -> list[str]:
    """Return the sessions that install the table's environments: today's together, those of another time one by one."""
    known, names = registry.environments(), {cell.row[0] for cell in answer.measured}
    others = sorted(name for name in names if name in known and not known[name].is_default)
    has_today = len(others) < len(names) or not others
    return ["bench"] * has_today + [f"era({name})" for name in others]
