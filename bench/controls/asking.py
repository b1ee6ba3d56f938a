"""What controls share, and those in which each environment is asked once: overhead, agreement and waiting.

- overhead: the timing loop beside a bare one, the same steps with two clock readings and one wait, in one process. The
  order within a turn is random. The mean of the middle of all turns estimates the cost of the loop
  (bench/worker/controls.py).
- agreement: our time beside that of the framework's own timer, and our network beside the framework's own of that name.
- waiting: the wait removed on purpose, in every adapter: which sentence of the contract notices?
"""

import json
import os
from typing import Any

import numpy as np

from bench import cases, files, profiles, registry
from bench.campaign import opening
from bench.campaign.campaign import CampaignFile
from bench.campaign.preflight import Prepared
from bench.driver.telemetry import Watch
from bench.errors import DefinitionError
from bench.replies import ControlPart, Reply
from bench.results import records
from bench.results.lines import Control
from bench.units import duration
from bench.worker.controls import MODEL, SABOTAGES, TIMER

LIGHT = "linear"  # its steps are the smallest, so that an addition to each of them shows most
HEAVY = "resnet50"  # the largest network of which every environment makes a step within seconds on a laptop
CACHE = os.path.join(registry.STATE, "cache", "controls")
TIMEOUT_S = 1800.0  # of an answer
# Expected seconds of one environment. Those with a training loop of their own are not asked for the overhead, and about
# half of them have a network of their own.
OVERHEAD_S = {LIGHT: 20.0, HEAVY: 70.0}
AGREEMENT_S = {TIMER: 30.0, MODEL: 50.0}
WAITING_S = 8.0
TIMED = "cifar10_cnn"  # a step of about 0.3 s on a laptop, much longer than what a training loop adds
SABOTAGED = "mnist_mlp"  # or the lightest workload that an environment answers

Question = dict[str, str]  # environment, mode, workload, and what else the control varies


def begin(
    prepared: Prepared, control: str, competitors: list[cases.Case], is_fresh: bool = False, watch: Watch | None = None
) -> CampaignFile:
    """Open the control's interrupted campaign of the same plan, or a new one."""
    setting = opening.setting(prepared, profiles.CONTROL, watch=watch)
    campaign = opening.begin(competitors, setting, prepared, ("controls", control), is_fresh)
    prepared.say(f"{control}: into {os.path.relpath(campaign.path)}")
    return campaign


def keep(path: str, value: Any) -> None:
    """Write a value as JSON, whole or not at all."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".partial", "w", encoding="utf-8") as file:
        json.dump(value, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".partial", path)


def kept(path: str) -> Any:
    """Return what was kept; None if it is missing or cannot be read."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def first_case(prepared: Prepared, wanted: str, environment: str | None = None) -> cases.Case:
    """Return the training steps of `wanted` in an environment's documented mode; without a name, of the first at hand.

    If the environment does not answer `wanted`, the lightest workload that it answers is taken. Raises DefinitionError
    if it answers none.
    """
    name = environment or prepared.names[0]
    answered = [workload for workload in registry.workload_names() if (name, workload) in prepared.proofs]
    if not answered:
        raise DefinitionError(f"{name} answers no workload: name another with --environment.")
    workload = wanted if wanted in answered else answered[0]
    selection = cases.Selection([workload], [name], tasks=["train"], first_only=True, documented_only=True)
    return cases.select(selection, prepared.devices, prepared.arguments.frameworks)[0]


def answering(prepared: Prepared, workload: str) -> list[str]:
    """Return the environments at hand that answer `workload`."""
    return [name for name in prepared.names if (name, workload) in prepared.proofs]


def _question(prepared: Prepared, environment: str, workload: str, **varied: str) -> Question:
    """Return a question to one environment, in its documented mode."""
    mode = prepared.environments[environment].modes[0].name
    return dict(varied, environment=environment, mode=mode, workload=workload)


def extremes(prepared: Prepared, environment: str) -> list[str]:
    """Return LIGHT and HEAVY; if one is not answered, the first or the last answered workload up to HEAVY instead."""
    names = registry.workload_names()
    answered = [name for name in names[: names.index(HEAVY) + 1] if (environment, name) in prepared.proofs]
    ends = [name if name in answered else other for name, other in zip((LIGHT, HEAVY), answered[:1] + answered[-1:])]
    return ends[: len(set(ends))]


def questions(prepared: Prepared, control: str) -> list[tuple[Question, float]]:
    """Return each question of a control, with the expected seconds of its answer."""
    if control == "overhead":
        pairs = [(name, workload) for name in prepared.names for workload in extremes(prepared, name)]
        return [(_question(prepared, *pair), OVERHEAD_S.get(pair[1], OVERHEAD_S[HEAVY])) for pair in pairs]
    if control == "agreement":
        return [(_question(prepared, name, workload, beside=beside), AGREEMENT_S[beside])
                for workload, beside in ((TIMED, TIMER), (HEAVY, MODEL)) for name in answering(prepared, workload)
                ]  # fmt: skip
    able = [name for name in prepared.names if name in {environment for environment, _ in prepared.proofs}]
    pairs = [(name, first_case(prepared, SABOTAGED, name).workload) for name in able]
    return [(_question(prepared, *pair, sabotage=name), WAITING_S) for name in SABOTAGES for pair in pairs]


def expected_s(prepared: Prepared, control: str) -> float:
    """Return the seconds of all environments."""
    return sum(seconds for _, seconds in questions(prepared, control))


def measure(prepared: Prepared, control: str) -> None:
    """Let a worker answer each question, in random order, and record a line each; an interrupted campaign goes on."""
    asked = [question for question, _ in questions(prepared, control)]
    if not asked:
        prepared.say(f"{control}: no environment at hand answers what it asks; nothing is measured")
        return
    campaign = begin(prepared, control, [])
    done = [{key: line.about.get(key) for key in asked[0]} for line in lines_of(campaign)]
    shuffled = [asked[i] for i in np.random.RandomState(prepared.arguments.seed).permutation(len(asked))]
    waiting = [question for question in shuffled if question not in done]
    for number, question in enumerate(waiting, 1):
        line = _ask(prepared, campaign, control, question)
        outcome = f"{line.duration_s:.0f} s" if line.status == "ok" else line.reason
        spent = [line.duration_s for line in lines_of(campaign)]
        left_s = (len(waiting) - number) * sum(spent) / len(spent)
        words = " ".join(question[key] for key in sorted(question))
        prepared.say(f"{control} {number + len(done)}/{len(asked)}  {words}: {outcome}, about {duration(left_s)} left")
    campaign.end("every question was asked")


def lines_of(campaign: CampaignFile) -> list[Control]:
    """Return the lines of a control other than runs."""
    return records.of_class(campaign.lines, Control)


def _ask(prepared: Prepared, campaign: CampaignFile, control: str, question: Question) -> Control:
    name, started = question["environment"], files.now()
    os.makedirs(CACHE, exist_ok=True)
    varied = {key: value for key, value in question.items() if key != "environment"}
    work = ControlPart(control, seed=prepared.arguments.seed, **varied)
    reply = prepared.ask("control", name, TIMEOUT_S, work, CACHE, device=prepared.devices[name], mode=work.mode)
    return write(campaign, control, {**question, **reply.about}, reply, started)


def write(
    campaign: CampaignFile, control: str, about: dict[str, str], reply: Reply | None = None, started: str = ""
) -> Control:
    """Write a line of kind `control`, a measurement other than a run; return it."""
    reply = reply or Reply()
    return campaign.write(Control(
        campaign=campaign.name, control=control, about=about, series={**reply.series}, started=started or files.now(),
        duration_s=reply.duration_s, status=reply.status, reason=reply.reason, error_tail=reply.error_tail,
    ))  # fmt: skip
