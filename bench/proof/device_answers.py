"""How an environment's answer on a device, and in a precision, is held against the one that it has proven.

It has a file of its own so that a test of an environment imports nothing of the code that drives a bench.
"""

from typing import Any, Dict, Iterable, List, NamedTuple, Tuple

import numpy as np

from bench import proof
from bench.cases import Case
from bench.proof import parity

Record = Dict[str, Any]

FULL = "fp32"
# Of outputs, relative to the largest: TF32 keeps 10 bits of a factor and bfloat16 7, so that a product is off by up to
# 2^-11 and 2^-8, and a deep network by some times as much. One that carries rounding farther does so in each precision:
# of eight networks on a processor, outputs of bfloat16 were 2^11.5 to 2^15 times as far off as those of float32; of
# ResNet50 2^13.5 to 2^13.8 times, from 1 % at 224 pixels to 4 % at parity's 32, where its last norms divide by the
# deviation of eight numbers. So what is allowed grows as float32 is farther off than `parity.ROUNDING`.
TOLERANCES = {"tf32": 3e-3, "bf16": 3e-2}
ACTS = 10.0  # times as far as float32's outputs on the same device: less is rounding, and the switch did nothing


class DeviceQuestion(NamedTuple):
    """What is to answer, where, and in which precision."""

    subject: proof.Subject
    device: str
    precision: str


def questions(cases: Iterable[Case]) -> List[DeviceQuestion]:
    """Return what must be answered before these cases are measured, each once: nothing for float32 on the CPU.

    In another precision only outputs are compared, which no optimizer changes; those of float32 on that device are
    asked first, to be held beside.
    """
    found: List[DeviceQuestion] = []
    for case in cases:
        subject = proof.subject_of(case)
        if case.device != "cpu":
            found += [DeviceQuestion(each, case.device, FULL) for each in (subject.first, subject)]
        if case.precision != FULL:
            found.append(DeviceQuestion(subject.first, case.device, case.precision))
    return list(dict.fromkeys(found))


def judge(question: DeviceQuestion, own: Record, given: Record, rounding: float) -> Tuple[Dict[str, float], str]:
    """Return the errors of an answer against its `own` proven one, and what is wrong with it, or "".

    `rounding` is the error of float32's outputs on the same device, 0 where that is the CPU.
    """
    with np.errstate(all="ignore"):  # what is not finite counts as an infinite error
        if question.precision == FULL:
            comparison = parity.compare(given, own)
            return comparison.errors, "" if comparison.passes else parity.explain(comparison)
        error = parity.compare({"outputs": given["outputs"]}, {"outputs": own["outputs"]}).errors["outputs"]
    carried = max(rounding, parity.ROUNDING)
    most, least = TOLERANCES[question.precision] * carried / parity.ROUNDING, ACTS * carried
    reason = ""
    if not error <= most:
        reason = "outputs in %s differ by %.1e from its own proven ones, at most %.1e is allowed"
        reason %= (question.precision, error, most)
    elif error < least:
        reason = (
            "outputs in %s differ by %.1e from its own proven ones, and rounding alone by up to %.1e: %s does nothing"
        )
        reason %= (question.precision, error, least, question.precision)
    return {"outputs": error}, reason
