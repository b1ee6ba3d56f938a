"""Open a campaign: write what comes before its first run.

Its first lines are the bench and its environments. Then each device answers parity questions, and the devices' highest
rates are measured. Parity is proven on the CPU in float32. On a GPU and in other precisions, other code computes. Each
environment therefore answers there too, and is compared with its own proven answer (bench/proof/parity.py).
A case without a correct answer is not measured.
"""

import tempfile
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bench import files, oracle, own_controls, proof, registry
from bench.campaign import campaign as campaigns
from bench.campaign import preflight
from bench.campaign.campaign import CampaignFile
from bench.campaign.estimates import Known
from bench.campaign.preflight import Prepared
from bench.campaign.turns import Setting
from bench.cases import TASKS, Case
from bench.driver import variables
from bench.profiles import Profile
from bench.proof import DeviceQuestion, questions
from bench.proof.parity import FULL, compare_on_device
from bench.replies import Probed, Reply
from bench.results import records
from bench.results.lines import Answer, Bench, Ceiling, Environment, Machine

CEILING_TIMEOUT_S = 120.0
Answers = dict[DeviceQuestion, Answer]


def setting(prepared: Prepared, profile: Profile, known: Known | None = None, data: str = "", **more: Any) -> Setting:
    """Return the settings of runs; `known` are past runs, and `data` is the folder of prepared data sets."""
    arguments = prepared.arguments
    return Setting(
        profile=profile, timeout_s=arguments.timeout or profile.timeout_s, seed=arguments.seed, data=data,
        known=known or Known({}, {}, {}), threads=arguments.threads, frameworks=arguments.frameworks,
        pythons=prepared.pythons, environments=prepared.environments, proofs=prepared.proofs, **more,
    )  # fmt: skip


def begin(
    cases: Sequence[Case], setting: Setting, prepared: Prepared, below: tuple[str, ...] = (), is_fresh: bool = False,
    node: int | None = None,
) -> CampaignFile:  # fmt: skip
    """Open the campaign of these cases, with one line of the bench and one of each environment.

    It is in the results folder of the machine, or in the folder `below` that one. `node` is the number of this node
    among those that share the folder.
    """
    head, is_dirty = campaigns.revision()
    profile: Any = setting.profile.name
    bench = Bench(
        campaign="", schema_version=1, started=files.now(), profile=profile, budget_s=setting.budget_s or 0,
        seed=setting.seed, threads=setting.threads, cases=list(cases), revision=head, is_dirty=is_dirty,
        machine=Machine(**prepared.machine), telemetry=setting.watch.about if setting.watch else None,
        node=node,
    )  # fmt: skip
    campaign = campaigns.begin(prepared.arguments.results, bench, not (is_fresh or prepared.arguments.fresh), below)
    described = {line.environment for line in records.of_class(campaign.lines, Environment)}
    for name in sorted(set(prepared.probes) - described):
        campaign.write(_environment(prepared.environments[name], prepared.probes[name], setting.threads))
    return campaign


def _environment(row: registry.Environment, probed: Probed, threads: int) -> Environment:
    documented = [(task, registry.modes(row, task)) for task in TASKS]
    return Environment(
        campaign="", environment=row.name, default_mode=row.modes[0].name, inherited={**variables.inherited(row)},
        default_modes={task: modes[0].name for task, modes in documented if modes},
        modes={mode.name: mode.compiles for mode in row.modes},
        variables={key: variables.fill(value, threads, "{cache}") for key, value in row.variables.items()},
        **{name: getattr(row, name) for name in ("title", "framework", "color", "marker")}, **probed._asdict(),
    )  # fmt: skip


def find_ceilings(cases: Sequence[Case], campaign: CampaignFile, prepared: Prepared) -> None:
    """Measure the highest rates that each framework reaches on the devices of `cases`, once per campaign.

    Each framework is alone on the machine for some seconds. The speed of a run is shown as a share of the best rates,
    and a run that is faster than the machine is refused. Frameworks without such controls are skipped.
    """
    for workload in sorted({case.workload for case in cases if not oracle.is_known(case.workload)}):
        prepared.say(f"{workload}: not compared with the machine's limits: bench/oracle/{workload}.py is missing")
    done = {(line.environment, line.device, line.precision) for line in records.of_class(campaign.lines, Ceiling)}
    places: set[tuple[str, Any, Any]] = {(case.environment, case.device, case.precision) for case in cases}
    for name, device, precision in sorted(places - done):
        if not set(own_controls.NEEDS) <= set(own_controls.names(prepared.environments[name])):
            continue
        reply = prepared.ask("ceiling", name, CEILING_TIMEOUT_S, device=device, precision=precision)
        line = campaign.write(Ceiling(
            campaign="", environment=name, device=device, precision=precision, reason=reply.reason,
            matmul_flops_s=reply.rates[0], copy_bytes_s=reply.rates[1],
        ))  # fmt: skip
        prepared.say(f"{name:18} {device}, {precision}: {_rates(line)}")


def _rates(line: Ceiling) -> str:
    """Return the highest rates of a framework on a device, or why they are unknown."""
    if line.matmul_flops_s is None or line.copy_bytes_s is None:
        return f"highest rates unknown: {line.reason}"
    return f"{line.matmul_flops_s / 1e9:.3g} GFLOP/s in matrix products, {line.copy_bytes_s / 1e9:.3g} GB/s of memory"


def refuse(cases: Sequence[Case], campaign: CampaignFile, prepared: Prepared) -> preflight.Refused:
    """Let environments answer on the devices and in the precisions of `cases`.

    Returns the cases whose answers are wrong. Answers in the campaign are not repeated.
    """
    answers = {_question(line): line for line in records.of_class(campaign.lines, Answer)}
    groups = [group for group in _groups(questions(cases)) if not all(question in answers for question in group)]
    for is_full in (True, False):  # other precisions are compared with the rounding of float32
        _answer_all([group for group in groups if (group[0].precision == FULL) is is_full], answers, campaign, prepared)
    refused: preflight.Refused = {}
    for case in cases:
        wrong = [answers[question] for question in questions([case]) if answers[question].status != "ok"]
        if wrong:
            reason = f"its answer on the {wrong[0].device} in {wrong[0].precision}: {wrong[0].reason}"
            refused[case.id] = (wrong[0].status, reason)
    return refused


def _question(line: Answer) -> DeviceQuestion:
    subject = proof.Subject(line.workload, line.optimizer, line.environment, line.mode)
    return DeviceQuestion(subject, line.device, line.precision)


def _groups(asked: Iterable[DeviceQuestion]) -> list[list[DeviceQuestion]]:
    """Return the questions that one process answers after one import: optimizers of one program; float32 first."""
    groups: dict[tuple[Any, ...], list[DeviceQuestion]] = {}
    for question in asked:
        subject, device, precision = question
        key = precision != FULL, precision, subject.workload, subject.environment, subject.mode, subject.task, device
        groups.setdefault(key, []).append(question)
    return [groups[key] for key in sorted(groups)]


def _answer_all(
    groups: list[list[DeviceQuestion]], answers: Answers, campaign: CampaignFile, prepared: Prepared
) -> None:
    """Let groups answer, several at a time, since nothing is timed; write their lines in order, also to `answers`."""
    given: dict[int, list[Answer]] = {}

    def ask(place: int) -> tuple[None, str]:
        given[place] = _ask(groups[place], answers, prepared)
        return None, "\n".join(map(_summary, given[place]))

    is_interrupted = True
    try:
        preflight.in_parallel("answer", ask, range(len(groups)), prepared.say)
        is_interrupted = False
    finally:  # an interrupt loses no answer, and kills the processes that have not answered yet
        for line in [line for place in sorted(given) for line in given[place] if _question(line) not in answers]:
            if not (is_interrupted and line.status == "killed"):
                answers[_question(line)] = campaign.write(line)


def _summary(line: Answer) -> str:
    errors = ", ".join(f"{kind} {error:.1e}" for kind, error in sorted(line.errors.items()) if error is not None)
    program = f"{line.workload} ({line.optimizer}) {line.environment}/{line.mode}"
    return f"{program} on the {line.device} in {line.precision}: {line.reason or f'right, off by: {errors}'}"


def _ask(group: Sequence[DeviceQuestion], answers: Answers, prepared: Prepared) -> list[Answer]:
    """Let one process answer questions that differ by the optimizer alone; return their lines."""
    _, device, precision = group[0]
    subjects = [question.subject for question in group]
    with tempfile.TemporaryDirectory(prefix="bench-answers-") as folder:
        reply = prepared.answer(subjects, folder, device=device, precision=precision)
        return [_answer(question, reply, folder, answers, prepared) for question in group]


def _answer(question: DeviceQuestion, reply: Reply, folder: str, answers: Answers, prepared: Prepared) -> Answer:
    """Return the line of one answer, which the worker left in `folder`, or of why there is none."""
    errors: dict[Any, float] = {}
    status, reason = reply.status, reply.reason
    if status == "ok":
        subject, full = question.subject, answers.get(question._replace(precision=FULL))
        given, proven = (
            proof.answers(subject.workload, subject.optimizer, place)[subject]
            for place in (folder, prepared.arguments.answers)
        )
        rounding = (full.errors.get("outputs") if full else 0.0) or 0.0
        errors, reason = compare_on_device(given, proven, question.precision, rounding)
    device: Any = question.device
    precision: Any = question.precision
    return Answer(
        campaign="", **question.subject._asdict(), device=device, precision=precision,
        status="unproven" if reason and status == "ok" else status, reason=reason or None,
        errors={kind: error if np.isfinite(error) else None for kind, error in errors.items()},
        duration_s=reply.duration_s,
    )  # fmt: skip
