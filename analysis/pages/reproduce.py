"""Below a table: in which file its lines lie, and the one command that measures the same question again."""

import shlex

from analysis import html, together
from analysis.estimates import Estimates
from analysis.html import Markup
from analysis.pages import Found
from analysis.table import Campaign
from bench import registry
from bench.cases import EPOCHS, read_data


def reproduce(found: Found, answer: Estimates) -> Markup:
    """Return where a table's raw lines lie, and how to measure it, or one row of it, again."""
    campaign = of(found, answer)
    environment, mode = answer.measured[0].row
    path = f"results/{answer.question.machine}/{campaign.bench['campaign']}.jsonl"
    one = shlex.join(["--environment", environment, "--mode", mode])
    return html.join(
        [
            html.paragraph(html.join(["Every run, block by block, is a line of ", html.element("code", path), "."])),
            html.paragraph("Measure all of this table again, on as many cores:"),
            html.element("pre", html.element("code", command(campaign, answer))),
            "\n",
            html.paragraph(
                html.join(["Of one row alone: put its names behind it, as ", html.element("code", one), "."])
            ),
        ]
    )


def of(found: Found, answer: Estimates) -> Campaign:
    """Return the campaign that a table comes from."""
    name, machine = together.campaign(found.results, answer), answer.question.machine
    return next(each for each in found.results.shown if (each.machine, each.bench["campaign"]) == (machine, name))


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
        "--threads": bench["threads"],
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
    """Return the sessions that install the table's environments: today's, those of years ago, or both."""
    known = registry.environments()
    are_default = {known[cell.row[0]].is_default for cell in answer.measured if cell.row[0] in known}
    return [name for name, is_default in (("bench", True), ("era", False)) if is_default in (are_default or {True})]
