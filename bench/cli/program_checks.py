"""What runs inside environments, for `python -m bench check`: contract, parity, oracle, mistakes, ablations, loaders.

An ablation that computes the same must agree with the other frameworks. Any other ablation must differ from the
unchanged program. A loader feeds the lightest selected network, because its examples do not depend on the network. A
mistake is planted in a copy of a model file, and parity must find it. A mistake that parity misses means that parity
proves less of this network than it seems. The table [planted.<name>] of framework.toml says how a framework writes a
mistake: {right: wrong}.
"""

import argparse
import os
import shutil
import tempfile
from collections.abc import Collection, Sequence
from typing import NamedTuple

from bench import ablations, answer, compiling, feeding, oracle, proof, registry
from bench.campaign import preflight
from bench.cases import FED, LESSONS, PIPELINES, STEPS, Case, Selection, most_workers, select
from bench.data import photographs
from bench.errors import DefinitionError, MissingDataError
from bench.proof import consensus
from bench.replies import Loaders

OK, WARNING, BROKE = "ok", "warning", "BROKE"
UNSUPPORTED = "unsupported"  # the status of what a framework cannot do, and says so: no mistake
BATCH, PHOTOGRAPHS = 8, 16  # of a pass: two batches, of which each can be taken for the other
NUMBERS = 0, 2  # of loaders that have a number only where it is asked for
LOADERS_TIMEOUT_S = 1800.0
IN_MODEL_FILES = ("gelu", "norm_epsilon", "activation")  # others are an adapter's
NO_ORACLE = "no bench/oracle/%s.py: below three other frameworks nobody can tell which answer is odd"
UNSEEN = "passes unseen: write bench/oracle/%s.py, or let three other frameworks answer"


class Row(NamedTuple):
    """What was looked at, in what, the outcome, and what was found: where it broke, what to do."""

    what: str
    of: str
    outcome: str
    found: str


class Checked(NamedTuple):
    """The rows of the table, and the pairs of answers and the stale answers below it (`preflight.compare`)."""

    rows: list[Row]
    pairs: Sequence[proof.Pair] = ()
    stale: Sequence[proof.Subject] = ()


def look(prepared: preflight.Prepared) -> Checked:
    """Look at the programs that are named, and at what changes them."""
    arguments = prepared.arguments
    selection = Selection(
        arguments.workload, arguments.environment, tasks=STEPS, documented_only=not arguments.all_modes
    )
    subjects = preflight.subjects(select(selection, prepared.devices, arguments.frameworks), prepared)
    rows = [Row("parity", name, BROKE, why) for name, why in sorted(_unanswered(subjects, prepared).items())]
    checked = Checked([])
    if subjects:
        rows += contract(prepared, not arguments.all_modes)
        checked = parity(subjects, prepared)
        rows += checked.rows
        for name in dict.fromkeys(each.workload for each in subjects):
            rows += oracles(name, subjects, prepared)
        rows += planted(subjects, prepared)
    return checked._replace(rows=rows + ablated(prepared) + loaders(prepared))


def _unanswered(subjects: list[proof.Subject], prepared: preflight.Prepared) -> dict[str, str]:
    """Return {what was named and has no model file: what to do}; where both were named, each of both with each."""
    arguments = prepared.arguments
    here = prepared.names if arguments.environment else [None]
    answered = {pair for each in subjects for pair in ((each.workload, each.environment),
                                                       (each.workload, None), (None, each.environment))}  # fmt: skip
    idle = [(workload, name) for workload in arguments.workload or [None] for name in here
            if (workload, name) not in answered]  # fmt: skip
    todo = "no model file: write bench/frameworks/<framework>/%s.py"
    return {" ".join(filter(None, pair)): todo % (pair[0] or "<workload>") for pair in idle}


def contract(prepared: preflight.Prepared, documented_only: bool = False) -> list[Row]:
    """Return a row for each sentence of the contract that a program breaks, or one for all that are kept."""
    found = preflight.check_contracts(prepared, documented_only)
    problems = [
        ("%s %s/%s" % (workload, name, mode), sentence, problem)
        for (name, workload, mode), checks in found.items()
        for sentence, problem in sorted(checks.items())
        if problem and sentence != UNSUPPORTED
    ]
    rows = [Row("contract", of, WARNING if sentence == compiling.NOTE else BROKE, "%s: %s" % (sentence, problem))
            for of, sentence, problem in problems]  # fmt: skip
    kept = sum(map(len, found.values())) - len(rows)
    is_broken = any(row.outcome == BROKE for row in rows)
    return rows + [Row("contract", _named(prepared.arguments), OK, "%d sentences kept" % kept)] * (not is_broken)


def parity(subjects: list[proof.Subject], prepared: preflight.Prepared) -> Checked:
    """Look whether each subject computes what most others do; else whether all do who answered the same."""
    failed, arguments = preflight.answer_all(subjects, prepared), prepared.arguments
    pairs, stale = preflight.compare(prepared)
    kept = proof.Kept(arguments.answers)
    verdicts = {
        each: proof.judge(each, prepared.proofs[each.environment, each.workload], without=stale, kept=kept)
        for each in subjects
        if each not in failed
    }
    broken = {_called(each): verdict.reason for each, verdict in verdicts.items() if not verdict.passes}
    broken.update({_called(each): "%s: %s" % why for each, why in failed.items() if why[0] != UNSUPPORTED})
    count, differ = len(pairs) // 2, sum(not pair.passes for pair in pairs) // 2
    if differ and not broken:
        broken = {_named(arguments): "each agrees with most, but %d of %d pairs differ" % (differ, count)}
    rows = [Row("parity", of, BROKE, problem) for of, problem in broken.items()]
    whole = Row("parity", _named(arguments), OK, "%d answers, %d pairs equal" % (len(verdicts), count))
    unable = {each: reason for each, (status, reason) in failed.items() if status == UNSUPPORTED}
    return Checked(
        (rows or [whole]) + [Row("parity", _called(each), WARNING, reason) for each, reason in unable.items()],
        pairs, stale,
    )  # fmt: skip


def oracles(workload: str, subjects: list[proof.Subject], prepared: preflight.Prepared) -> list[Row]:
    """Hold each answer to a workload against what its statement says in NumPy."""
    if not oracle.is_known(workload):
        return [Row("oracle", workload, WARNING, NO_ORACLE % workload)]
    kept = proof.Kept(prepared.arguments.answers)
    own = [each for each in subjects if each.workload == workload and ablations.is_same(each.mode)]
    given = [(each, kept.answers(workload, each.optimizer).get(each)) for each in own if each.first == each]
    found = {
        each: consensus.problem_of(workload, each.task, each.environment, arrays) for each, arrays in given if arrays
    }
    broken = [Row("oracle", _called(each), BROKE, problem) for each, problem in found.items() if problem]
    return broken or [Row("oracle", workload, OK, "%d answers are as near as float32 allows" % len(found))]


def ablated(prepared: preflight.Prepared) -> list[Row]:
    """Judge each ablation by its parity; answers that were kept for this code are not asked for again."""
    arguments = prepared.arguments
    asked = Selection(arguments.workload, arguments.environment, suite=LESSONS, first_only=True, precisions=["fp32"])
    cases = {proof.subject_of(case): case for case in _selected(asked, prepared) if ablations.split(case.mode)[1]}
    refused = preflight.unproven(list(cases.values()), prepared)
    return [_judged(subject, refused.get(case.id)) for subject, case in cases.items()]


def _judged(subject: proof.Subject, refused: tuple[str, str] | None) -> Row:
    of = _called(subject)
    if refused:
        return Row("ablation", of, WARNING if refused[0] == UNSUPPORTED else BROKE, refused[1])
    is_same = ablations.is_same(subject.mode)
    return Row("ablation", of, OK, "computes the same" if is_same else "differs from the program as it was, as stated")


def loaders(prepared: preflight.Prepared) -> list[Row]:
    """Let each loader feed a network for two passes, in one process for each environment."""
    cases = {name: most_workers(fed(prepared, name)) for name in prepared.names}
    cases = {name: own for name, own in cases.items() if own}
    if not cases:
        return []
    with tempfile.TemporaryDirectory() as data:
        try:
            photographs.prepare([case for own in cases.values() for case in own], data, "", prepared.say)
        except MissingDataError as error:
            return [Row("loader", ", ".join(cases), WARNING, str(error))]

        def feed(name: str) -> tuple[list[Row], str]:
            return _fed(prepared, name, cases[name], data)

        found = preflight.in_parallel("loaders", feed, list(cases), prepared.say)
    return [row for rows in found for row in rows]


def _fed(prepared: preflight.Prepared, name: str, cases: Sequence[Case], data: str) -> tuple[list[Row], str]:
    reply = prepared.ask("loaders", name, LOADERS_TIMEOUT_S, Loaders(cases, data), device=prepared.devices[name])
    checks = reply.checks or [(reply.status, reply.reason)] * len(cases)
    rows = [_brought(case, *outcome) for case, outcome in zip(cases, checks)]
    broken = sum(row.outcome == BROKE for row in rows)
    return rows, "%s: %d of %d bring what is in the files" % (name, len(rows) - broken, len(rows))


def _brought(case: Case, status: str, reason: str) -> Row:
    of = "%s %s/%s" % (case.workload, case.environment, case.mode)
    if status == "ok":
        return Row("loader", of, OK, "brings what is in the files, in each of its passes")
    return Row("loader", of, WARNING if status == UNSUPPORTED else BROKE, reason)


def fed(prepared: preflight.Prepared, name: str) -> list[Case]:
    """Return the cases of an environment's loaders, of the lightest network that was asked for."""
    arguments, row = prepared.arguments, prepared.environments[name]
    networks = [each for each in feeding.WORKLOADS if not arguments.workload or each in arguments.workload]
    asked = Selection(
        [each for each in networks if (name, each) in prepared.proofs][:1], [name], batch_sizes=[BATCH],
        examples=PHOTOGRAPHS, suite=PIPELINES, first_only=True, precisions=["fp32"],
    )  # fmt: skip
    if not asked.workloads:
        return []
    documented = registry.modes(row, FED[0])[0].name
    if_asked = [ablations.SIGN.join([documented, each, str(number)]) for each in ablations.names()
                for number in NUMBERS if getattr(ablations.statement(each), "NUMBERS", None) == ()]  # fmt: skip
    cases = [case for modes in ([], if_asked) for case in _selected(asked._replace(modes=modes), prepared)]
    return [case for case in cases if ablations.fed(case.mode)[1]]


def _selected(asked: Selection, prepared: preflight.Prepared) -> list[Case]:
    """Return the cases of environments that are here and have a model file; none where there is no such case."""
    try:
        cases = select(asked, {name: prepared.devices[name] for name in prepared.probes},
                       prepared.arguments.frameworks)  # fmt: skip
    except DefinitionError:
        return []
    return [case for case in cases if (case.environment, case.workload) in prepared.proofs]


def planted(subjects: list[proof.Subject], prepared: preflight.Prepared) -> list[Row]:
    """Plant each mistake in each model file that has a place for it; return a row for each that parity did not see."""
    wanted = [(subject, mistake) for subject in _model_files(subjects, prepared)
              for mistake in IN_MODEL_FILES if _altered(subject, mistake, prepared)]  # fmt: skip

    def plant(each: tuple[proof.Subject, str]) -> tuple[str, str]:
        (subject, mistake), problem = each, _missed(*each, prepared)
        return problem, "%s %s, %s: %s" % (subject.workload, subject.environment, mistake, problem or "seen")

    problems = dict(zip(wanted, preflight.in_parallel("mistake", plant, wanted, prepared.say)))
    rows = [Row("mistakes", "%s %s/%s" % (subject[0], *subject[2:]), WARNING, "a planted %s %s" % (mistake, problem))
            for (subject, mistake), problem in sorted(problems.items()) if problem]  # fmt: skip
    whole = Row("mistakes", _named(prepared.arguments), OK, "%d planted, each seen" % len(problems))
    return rows or [whole] * bool(problems)


def _model_files(subjects: Collection[proof.Subject], prepared: preflight.Prepared) -> Collection[proof.Subject]:
    """Return a subject in inference for each model file, in the documented mode of its first default environment."""
    found: dict[tuple[str, str], proof.Subject] = {}
    names = {(each.workload, each.environment) for each in subjects}
    for workload, name in sorted(names, key=lambda key: not prepared.environments[key[1]].is_default):
        row = prepared.environments[name]
        subject = proof.Subject(workload, "none", name, registry.modes(row, "infer")[0].name)
        found.setdefault((workload, row.framework), subject)
    return found.values()


def _altered(subject: proof.Subject, mistake: str, prepared: preflight.Prepared) -> str:
    """Return a model file's code with a mistake wherever it has a place; an empty text where it has none."""
    row = prepared.environments[subject.environment]
    with open(registry.model_path(row, subject.workload), encoding="utf-8") as file:
        code = wrong = file.read()
    for right, instead in row.planted.get(mistake, {}).items():
        wrong = wrong.replace(right, instead)
    return "" if wrong == code else wrong


def _missed(subject: proof.Subject, mistake: str, prepared: preflight.Prepared) -> str:
    """Let inference answer, whose outputs tell, beside the other answers; return why that proves nothing of parity.

    That is an empty text where parity found the mistake.
    """
    kept = prepared.arguments.answers
    with tempfile.TemporaryDirectory() as folder:
        answers, frameworks = os.path.join(folder, "answers"), os.path.join(folder, "frameworks")
        row = prepared.environments[subject.environment]
        target = os.path.join(frameworks, os.path.basename(row.folder))
        shutil.copytree(row.folder, target, ignore=shutil.ignore_patterns("__pycache__"))
        with open(os.path.join(target, subject.workload + ".py"), "w", encoding="utf-8") as file:
            file.write(_altered(subject, mistake, prepared))
        for each in proof.answers(subject.workload, subject.optimizer, kept):
            if each.environment != subject.environment:
                place = os.path.join(answers, each.file)
                os.makedirs(os.path.dirname(place), exist_ok=True)
                shutil.copy(os.path.join(kept, each.file), place)
        reply = prepared.answer([subject], answers, device="cpu", frameworks=frameworks)
        if reply.status != "ok":
            return "does not run, and so proves nothing (%s)" % reply.reason
        about = answer.read(os.path.join(answers, subject.file))["about"]
        return UNSEEN % subject.workload if proof.judge(subject, about["proof"], answers).passes else ""


def _named(arguments: argparse.Namespace) -> str:
    return ", ".join(arguments.workload + arguments.environment)


def _called(subject: proof.Subject) -> str:
    return "%s (%s) %s/%s" % subject
