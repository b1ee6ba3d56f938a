"""The commands that measure a question, or one of its competitors, again."""

import shlex

from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.load.campaigns import Campaign
from bench import registry
from bench.cases import EPOCHS, read_data


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
