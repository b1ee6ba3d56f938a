"""Lines of controls, as they are recorded, for the tests of what judges them."""

import json

import campaign
import numpy as np

from bench.controls import twins as measured
from bench.results.schema import read

NAME = "2026-11-21 1500"


def lines(*more):
    """Return a whole campaign of a control."""
    return [campaign.bench([], NAME, profile="control"), campaign.environment("red", NAME), *more, campaign.end(NAME)]


def typed(content):
    """Return lines as records."""
    return [read(line) for line in content]


def judge(control, content):
    """Return what a control says of a campaign's lines."""
    return control.judge(typed(content))


def said(name, words, series=None, status="ok", reason=None):
    """Return a line of a control's own."""
    return {"kind": "control", "campaign": NAME, "control": name, "about": words, "series": series or {},
            "started": "2026-11-21T15:00:00Z", "duration_s": 1.0, "status": status, "reason": reason,
            "error_tail": None}  # fmt: skip


def runs(times, rounds, in_turns=True):
    """Return a run of each competitor in each round; `times(number)` are its steps' seconds, block by block."""
    return [
        campaign.run(campaign.case(name), number, 0.01, campaign=NAME, steps_per_block=1, block_s=list(steps),
                     block_order=[0] * len(steps) if in_turns else [], block_cpu_s=[], warm_up_s=[])
        for number in range(1, rounds + 1) for name, steps in times(number).items()
    ]  # fmt: skip


def twins(noise=0.004, rounds=20, wrong=0.0, draw=None):
    """Return a campaign of competitors: `noise` from run to run, drift from round to round; `wrong` is added to one.

    What hits the machine in a turn hits all alike.
    """
    random = np.random.default_rng(1)
    draw = draw or (lambda: random.normal(0, noise))
    key = {f"competitor-{number:02d}": plan for number, plan in enumerate(measured.plans(), 1)}

    def times(_):
        drift = random.normal(1, 0.05) * np.exp(np.abs(random.normal(0, 0.001, 5)))
        bias = {"competitor-01": wrong}
        return {
            name: 0.001 * drift * (1 + plan[1] / 100 + bias.get(name, 0.0)) * np.exp(draw())
            * random.normal(1, 0.003, 5)
            for name, plan in key.items()
        }  # fmt: skip

    disclosed = {name: "{} {}".format(*plan) for name, plan in key.items()}
    return lines(*runs(times, rounds), said("planted", disclosed))


def without(given, name, numbers):
    """Return a campaign in which a competitor's runs of some rounds failed."""
    failed = {"status": "killed", "reason": "planted", "block_s": [], "steps_per_block": None}
    return [{**line, **failed} if line["kind"] == "run" and line["case"]["environment"] == name
            and line["round"] in numbers else line for line in given]  # fmt: skip


def about(**changes):
    """Return what a control says of the program that it asked."""
    return {"environment": "red", "mode": "eager", "workload": "linear", **changes}


def cost(ours, within, bare, **changes):
    return said("overhead", about(**changes), {"ours_s": ours, "within_s": within, "bare_s": bare, "steps": [10]})


def sabotaged(sabotage, caught_by, **more):
    return said("waiting", about(workload="mnist_mlp", sabotage=sabotage, caught_by=caught_by, because=""), **more)


def write(folder, name, given, campaign_name=NAME, machine="test-machine"):
    path = folder / machine / "controls" / name / f"{campaign_name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in given))
    return path
