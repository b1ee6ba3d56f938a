"""Does an environment compute on a device, and in a precision, what it has proven to compute?

Parity is proven on the CPU in float32. On a GPU other code runs (cuDNN, XLA's kernels, Triton's), and a switch of the
precision may do nothing, or too much. So whatever is measured there answers there first, as it will be measured, and is
held against its own proven answer: in float32 as two environments are held against each other; in another precision its
outputs alone, which must be near, and farther than float32's, or the switch did nothing. Each answer's errors are a
line of the campaign, and a case without a right one is not measured.
"""

import functools
import itertools
import tempfile
from typing import Any

import numpy as np

from bench import proof
from bench.campaign import preflight
from bench.campaign.campaign import CampaignFile
from bench.cases import Case
from bench.driver import processes
from bench.proof import DeviceQuestion, questions
from bench.proof.parity import FULL, compare_on_device
from bench.results import lines, records
from bench.results.lines import Answer


def _key(line: Answer) -> DeviceQuestion:
    subject = proof.Subject(line.workload, line.optimizer, line.environment, line.mode)
    return DeviceQuestion(subject, line.device, line.precision)


def _line(question: DeviceQuestion, reply: dict[str, Any], errors: dict[str, float], reason: str) -> Answer:
    content = dict(
        question.subject._asdict(), kind="answer", campaign="unnamed", device=question.device,
        precision=question.precision, status="unproven" if reason and reply["status"] == "ok" else reply["status"],
        reason=(reply["reason"] or reason or None), duration_s=reply["duration_s"],
        errors={kind: error if np.isfinite(error) else None for kind, error in errors.items()},
    )  # fmt: skip
    line = lines.read(content)
    assert isinstance(line, Answer)  # noqa: S101 - `kind` says so
    return line


def refuse(cases: list[Case], campaign: CampaignFile, prepared: preflight.Prepared) -> dict[str, tuple[str, str]]:
    """Let what these cases need answer where it will be measured; return {case id: (status, reason)} of those refused.

    What the campaign has a line of is not asked again.
    """
    known = {_key(line): line for line in records.of_class(campaign.lines, Answer)}
    groups = [group for group in _groups(questions(cases)) if not all(each in known for each in group)]
    for is_full in (True, False):  # what float32 is off by is asked first
        own = [group for group in groups if (group[0].precision == FULL) is is_full]
        _answer_all(own, known, campaign, prepared)
    refused: dict[str, tuple[str, str]] = {}
    for case in cases:
        wrong = next((known[each] for each in questions([case]) if known[each].status != "ok"), None)
        if wrong:
            reason = f"its answer on the {wrong.device} in {wrong.precision}: {wrong.reason}"
            refused[case.id] = wrong.status, reason
    return refused


def _groups(asked: list[DeviceQuestion]) -> list[list[DeviceQuestion]]:
    """Return what one process answers together, which imports once: optimizers of one program; float32 first."""
    found: dict[tuple[Any, ...], list[DeviceQuestion]] = {}
    for question in asked:
        subject = question.subject
        key = question.precision != FULL, question.precision, subject.workload, subject.environment, subject.mode
        found.setdefault(key + (subject.task, question.device), []).append(question)
    return [found[key] for key in sorted(found)]


def _answer_all(
    groups: list[list[DeviceQuestion]],
    known: dict[DeviceQuestion, Answer],
    campaign: CampaignFile,
    prepared: preflight.Prepared,
) -> None:
    """Let groups answer, some at a time, for nothing is timed; write their lines in order, into `known` as well."""
    given: dict[int, list[Answer]] = {}
    numbers = itertools.count(1)  # in the order in which they end: none is told twice

    def ask(place: int) -> None:
        given[place] = _ask(groups[place], known, prepared)
        prepared.say("answer %d/%d  %s" % (next(numbers), len(groups), "\n".join(map(_told, given[place]))))

    try:
        processes.side_by_side([functools.partial(ask, place) for place in range(len(groups))], preflight.JOBS)
    finally:  # an interrupt loses no answer that was given
        for line in [line for place in sorted(given) for line in given[place] if _key(line) not in known]:
            known[_key(line)] = campaign.write(line)


def _told(line: Answer) -> str:
    errors = ", ".join(f"{kind} {error:.1e}" for kind, error in sorted(line.errors.items()) if error is not None)
    return (
        f"{line.workload} ({line.optimizer}) {line.environment}/{line.mode} on the {line.device} in {line.precision}: "
        f"{line.reason or f'right, off by: {errors}'}"
    )


def _ask(
    group: list[DeviceQuestion], known: dict[DeviceQuestion, Answer], prepared: preflight.Prepared
) -> list[Answer]:
    """Let one process answer questions that differ by the optimizer alone; return their lines."""
    subject, device, precision = group[0]
    with tempfile.TemporaryDirectory(prefix="bench-answers-") as folder:
        reply = prepared.ask(subject.environment, preflight.ANSWER_TIMEOUT_S, request="answer", device=device,
                             precision=precision, folder=folder,
                             **prepared.questions([each.subject for each in group]))  # fmt: skip
        if reply["status"] != "ok":
            return [_line(each, reply, {}, "") for each in group]
        return [_line(each, reply, *_judged(each, folder, known, prepared.arguments.answers)) for each in group]


def _judged(
    question: DeviceQuestion, folder: str, known: dict[DeviceQuestion, Answer], proven: str
) -> tuple[dict[str, float], str]:
    given, own = (
        proof.answers(question.subject.workload, question.subject.optimizer, each)[question.subject]
        for each in (folder, proven)
    )
    full = known.get(question._replace(precision=FULL))
    rounding = (full.errors.get("outputs") if full else 0.0) or 0.0
    return compare_on_device(given, own, question.precision, rounding)
