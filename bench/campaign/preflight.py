"""Before the first run: see which environments are there, and let no case through that has not proven parity."""

import argparse
import functools
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from bench import ablations, compiling, machine, proof, registry
from bench.campaign import rounds, run_history, turns
from bench.campaign.campaign import CampaignFile
from bench.cases import Case
from bench.driver import orphans, processes, variables
from bench.errors import DefinitionError
from bench.profiles import Profile

PROBE_TIMEOUT_S = 300.0
ANSWER_TIMEOUT_S = 1800.0
# Probes and answers at a time: most of them is import and compilation, on a core or two, and nothing is timed.
JOBS = max(2, machine.cores() // 4)
ANSWER_CACHE = os.path.join(registry.STATE, "parity-cache")

Say = Callable[[str], None]


class Prepared(NamedTuple):
    """What the interpreters at hand can do, what the user asked for, and whom to tell."""

    environments: dict[str, registry.Environment]
    pythons: dict[str, str]
    probes: dict[str, dict[str, Any]]  # environment -> reply of its probe
    absent: dict[str, tuple[str, str]]  # environment -> (status, reason)
    devices: dict[str, str | None]  # environment -> device, absent ones included
    proofs: dict[tuple[str, str], str]  # (environment, workload) -> proof hash
    arguments: argparse.Namespace
    say: Say

    def ask(self, name: str, timeout_s: float, cache: str = ANSWER_CACHE, **request: Any) -> dict[str, Any]:
        """Return the reply of an environment's worker to a request (bench/worker/__main__.py)."""
        request = dict({"threads": self.arguments.threads, "frameworks": self.arguments.frameworks}, **request)
        return processes.call(self.pythons[name], self.environments[name], request, timeout_s, cache)

    def questions(self, subjects: list[proof.Subject]) -> dict[str, Any]:
        """Return what a request for parity answers names: each question, and what the answer to it is about."""
        name = subjects[0].environment
        loaded = self.probes[name]["loaded"]
        return {"subjects": [list(each) for each in subjects], "loaded": loaded,
                "about": [proof.about(each, self.environments[name], loaded) for each in subjects]}  # fmt: skip

    def setting(self, profile: Profile, known: run_history.Known, data: str = "") -> turns.Setting:
        """Return what runs are made with; `known` are earlier ones, and `data` is where data sets lie."""
        arguments = self.arguments
        return turns.Setting(
            profile=profile, timeout_s=arguments.timeout or profile.timeout_s, seed=arguments.seed,
            threads=arguments.threads, frameworks=arguments.frameworks, data=data, pythons=self.pythons,
            environments=self.environments, proofs=self.proofs, known=known,
        )  # fmt: skip


def in_parallel(label: str, do: Callable[[Any], tuple[Any, str]], items: Sequence[Any], say: Say) -> list[Any]:
    """Call `do` with each item, JOBS at a time; return the first of what it returns each, and say the second at once.

    What it returns is in the order of the items; an empty text is not said.
    """
    given: dict[int, Any] = {}

    def call(place: int) -> None:
        given[place], text = do(items[place])
        if text:
            say("%s %d/%d  %s" % (label, len(given), len(items), text))

    processes.side_by_side([functools.partial(call, place) for place in range(len(items))], JOBS)
    return [given[place] for place in range(len(items))]


def _interpreters(arguments: argparse.Namespace, known: dict[str, registry.Environment]) -> tuple[dict[str, str], bool]:
    """Return the interpreter of each environment, and whether they were named (else it is this one, on trial)."""
    for name, _ in arguments.python + arguments.absent:
        registry.environment(name, arguments.frameworks)
    if arguments.python or arguments.absent:
        gone = dict(arguments.absent)
        return {name: python for name, python in arguments.python if name not in gone}, True
    names = arguments.environment or list(known)
    return dict.fromkeys(names, sys.executable), bool(arguments.environment)


def prepare(arguments: argparse.Namespace, say: Say) -> Prepared:
    """Probe each environment in its interpreter; raises DefinitionError when none can be used or named absent."""
    orphans.clear()
    known = registry.environments(arguments.frameworks)
    pythons, are_named = _interpreters(arguments, known)
    absent = {name: ("absent", reason) for name, reason in arguments.absent}
    for name in pythons:
        variables.check(known[name])
    request = {"request": "probe", "device": arguments.device, "threads": arguments.threads,
               "frameworks": arguments.frameworks}  # fmt: skip

    def probe(name: str) -> tuple[dict[str, Any], str]:
        return processes.call(pythons[name], known[name], request, PROBE_TIMEOUT_S, ""), ""

    replies = in_parallel("probe", probe, sorted(pythons), say)
    probes = {}
    for name, reply in zip(sorted(pythons), replies):
        if reply["status"] == "ok":
            probes[name] = reply
            versions = ["%s %s" % item for item in reply["loaded"].items() if item[1]]
            say("%-18s ready on the %s: %s" % (name, reply["device"], ", ".join(versions)))
        elif are_named:
            absent[name] = (reply["status"], reply["reason"])
            say("%-18s %s: %s" % (name, reply["status"], reply["reason"]))
    if not probes and not absent:
        raise DefinitionError(
            "No environment's framework can be imported by %s. Install one (see bench/frameworks/*/framework.toml), or "
            "let Nox do it: nox -s bench." % os.path.basename(sys.executable)
        )
    devices = {name: reply["device"] for name, reply in probes.items()}
    devices.update(dict.fromkeys(absent, arguments.device))
    proofs = _proofs(probes, known, arguments)
    return Prepared(known, {n: pythons[n] for n in probes}, probes, absent, devices, proofs, arguments, say)


def _proofs(
    probes: dict[str, dict[str, Any]], known: dict[str, registry.Environment], arguments: argparse.Namespace
) -> dict[tuple[str, str], str]:
    """Return {(environment, workload): proof hash} of the workloads that were asked for, or of all."""
    asked = getattr(arguments, "workload", None) or registry.workload_names()
    return {(name, workload): proof.proof_hash(workload, known[name], probes[name]["loaded"])
            for name in probes for workload in registry.answered(known[name]) if workload in asked}  # fmt: skip


def without_blind(prepared: Prepared, place: dict[str, Any]) -> Prepared:
    """Leave out each environment that has a build for GPUs and sees none on a machine (`place`) that has one.

    With too old a driver a framework takes the processor, and says nothing. `--device` measures what it names.
    """
    if prepared.arguments.device or not place["gpu"]:
        return prepared
    with_gpu = [name for name in prepared.devices if prepared.environments[name].gpu]
    blind = [name for name in with_gpu if prepared.devices[name] == "cpu"]
    reason = (
        "sees no GPU, though there is one here (%s, driver %s): this driver may be older than what it is built for, or "
        "it was installed without CUDA; --device cpu measures the processor" % (place["gpu"], place["gpu_driver"])
    )
    for name in blind:
        prepared.say("%-18s left out: it %s" % (name, reason))
    return prepared._replace(
        pythons={name: python for name, python in prepared.pythons.items() if name not in blind},
        probes={name: reply for name, reply in prepared.probes.items() if name not in blind},
        absent=dict(prepared.absent, **dict.fromkeys(blind, ("absent", reason))),
        devices=dict(prepared.devices, **dict.fromkeys(with_gpu, "gpu")),
    )


def subjects(cases: list[Case], prepared: Prepared) -> list[proof.Subject]:
    """Return what must have proven parity for these cases to be measured, each once, in order."""
    found = [proof.subject_of(case) for case in cases if (case.environment, case.workload) in prepared.proofs]
    return list(dict.fromkeys(each for subject in found for each in (subject.first, subject)))


def answer_all(wanted: list[proof.Subject], prepared: Prepared) -> dict[proof.Subject, tuple[str, str]]:
    """Let each subject without a kept answer for its code give one; return (status, reason) of those that could not."""
    force = getattr(prepared.arguments, "force", False)
    missing = [subject for subject in wanted if force or not _is_kept(subject, prepared)]
    together: dict[tuple[str, str, str], list[proof.Subject]] = {}  # what one process answers: it imports once
    for subject in missing:
        together.setdefault((subject.workload, subject.environment, subject.mode), []).append(subject)

    def ask(questions: list[proof.Subject]) -> tuple[dict[proof.Subject, tuple[str, str]], str]:
        reply = prepared.ask(questions[0].environment, ANSWER_TIMEOUT_S, request="answer", device="cpu",
                             precision="fp32", **prepared.questions(questions),
                             folder=prepared.arguments.answers, threads=_threads_of_each(prepared))  # fmt: skip
        is_answered = reply["status"] == "ok"
        left = [] if is_answered else [subject for subject in questions if not _is_kept(subject, prepared)]
        said = _name(questions), "answered" if is_answered else reply["reason"], reply["duration_s"]
        tail = "" if is_answered or not reply["error_tail"] else "\n" + reply["error_tail"]
        return dict.fromkeys(left, (reply["status"], reply["reason"])), "%s: %s in %.0f s" % said + tail

    failed: dict[proof.Subject, tuple[str, str]] = {}
    for each in in_parallel("parity", ask, list(together.values()), prepared.say):
        failed.update(each)
    return failed


def _threads_of_each(prepared: Prepared) -> int:
    return max(1, int(prepared.arguments.threads) // JOBS)


def _name(questions: list[proof.Subject]) -> str:
    first = questions[0]
    return "%s (%s) %s/%s" % (
        first.workload, ", ".join(q.optimizer for q in questions), first.environment, first.mode)  # fmt: skip


def check_contracts(prepared: Prepared, documented_only: bool = False) -> dict[tuple[str, str, str], dict[str, str]]:
    """Check adapters' contracts in each mode, or in the documented one alone, for each workload they answer.

    Returns {(environment, workload, mode): {sentence: what broke it, or ""}}.
    """
    names = prepared.arguments.environment or list(prepared.probes)
    workloads = prepared.arguments.workload or registry.workload_names()
    asked = [
        (name, workload, mode.name)
        for name, workload in sorted(key for key in prepared.proofs if key[0] in names and key[1] in workloads)
        for mode in registry.modes(prepared.environments[name], "train")[: 1 if documented_only else None]
    ]

    def check(key: tuple[str, str, str]) -> tuple[dict[str, str], str]:
        name, workload, mode = key
        reply = prepared.ask(name, ANSWER_TIMEOUT_S, request="contract", asked=[[workload, mode, None]],
                             device=prepared.arguments.device, threads=_threads_of_each(prepared))  # fmt: skip
        checks: dict[str, str] = reply["checks"][0] if "checks" in reply else {reply["status"]: reply["reason"]}
        return checks, "%s %s/%s: %s" % (workload, name, mode, _kept(checks, reply))

    return dict(zip(asked, in_parallel("contract", check, asked, prepared.say)))


def _kept(checks: dict[str, str], reply: dict[str, Any]) -> str:
    """Say how many sentences were kept, in what time; and below, which were not, and why."""
    notes = ["      note: %s" % checks[compiling.NOTE]] if compiling.NOTE in checks else []
    asked = {sentence: problem for sentence, problem in checks.items() if sentence != compiling.NOTE}
    broken = ["      BROKE %s: %s" % each for each in sorted(asked.items()) if each[1]]
    kept = "%d of %d sentences kept in %.0f s" % (len(asked) - len(broken), len(asked), reply["duration_s"])
    return "\n".join([kept] + broken + notes + [reply["error_tail"]] * bool(reply["error_tail"]))


def compare(prepared: Prepared) -> tuple[list[proof.Pair], list[proof.Subject]]:
    """Return the pairs of kept answers that were asked for (`proof.matrix`), and the stale ones, left out."""
    arguments = prepared.arguments
    asked = arguments.workload or registry.workload_names()
    proofs = {key: hash_ for key, hash_ in prepared.proofs.items() if key[1] in asked}
    stale = proof.stale(proofs, prepared.environments, asked, arguments.answers)
    return proof.matrix(arguments.answers, arguments.workload, arguments.environment, stale), stale


def _is_kept(subject: proof.Subject, prepared: Prepared) -> bool:
    return proof.is_kept(subject, _proof_of(subject, prepared), prepared.arguments.answers)


def _proof_of(subject: proof.Subject, prepared: Prepared) -> str:
    own = prepared.proofs[subject.environment, subject.workload]
    return proof.of_mode(own, prepared.environments[subject.environment], subject.mode)


def unable(cases: list[Case], prepared: Prepared) -> dict[str, tuple[str, str]]:
    """Return {case id: (status, reason)} of the cases whose environment or mode is absent, or not there for them."""
    refused = {}
    for case in cases:
        row, own = prepared.environments[case.environment], ablations.split(case.mode)[0]
        lacking = machine.missing_packages(
            next((mode.system for mode in row.modes if mode.name == own and mode.system), {})
        )
        if case.environment in prepared.absent:
            refused[case.id] = prepared.absent[case.environment]
        elif (case.environment, case.workload) not in prepared.proofs:
            refused[case.id] = ("unsupported", "%s %s" % (row.title, why_unanswered(row, case.workload)))
        elif lacking:
            refused[case.id] = ("absent", "in mode %s: %s" % (case.mode, lacking))
    return refused


def why_unanswered(environment: registry.Environment, workload_name: str) -> str:
    """Return why an environment does not answer a workload, to be read behind its title."""
    if environment.only and workload_name not in environment.only:
        return "is there for %s alone" % ", ".join(environment.only)
    stated = environment.unanswered.get(workload_name)
    return "does not answer %s: %s" % (workload_name, stated) if stated else "has no model file for " + workload_name


def unproven(cases: list[Case], prepared: Prepared) -> dict[str, tuple[str, str]]:
    """Let `cases` prove parity where they have not yet; return {case id: (status, reason)} of those that did not."""
    failed = answer_all(subjects(cases, prepared), prepared)
    kept, refused = proof.Kept(prepared.arguments.answers), {}
    for case in cases:
        subject = proof.subject_of(case)
        verdict = proof.judge(subject, _proof_of(subject, prepared), kept=kept)
        without = next((each for each in (subject.first, subject) if each in failed), None)
        if without:
            status, reason = failed[without]
            refused[case.id] = ("unsupported" if status == "unsupported" else "unproven", reason)
        elif not verdict.passes:
            refused[case.id] = ("unproven", verdict.reason)
    return refused


def refuse(
    cases: list[Case], plan: rounds.Plan, campaign: CampaignFile, prepared: Prepared
) -> dict[str, tuple[str, str]]:
    """Return {case id: (status, reason)} of all that is not to be started; only what will be measured proves parity."""
    decided = {run.case.id: (run.status, str(run.reason)) for run in campaign.runs()}
    refused = unable(cases, prepared)
    if campaign.spent_s():  # an interrupted campaign has shared out its budget already, before its first run
        refused.update({case_id: why for case_id, why in decided.items() if why[0] == "over_budget"})
    else:
        left_out = rounds.fit([case for case in cases if case.id not in refused], plan)
        refused.update({case_id: ("over_budget", reason) for case_id, reason in left_out.items()})
    refused.update(unproven([case for case in cases if case.id not in refused], prepared))
    return refused
