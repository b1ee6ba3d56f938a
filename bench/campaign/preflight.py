"""Before the first run: probe the environments, and refuse cases whose program has not proven parity."""

import argparse
import functools
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from bench import ablations, compiling, machine, proof, registry
from bench.cases import Case
from bench.driver import orphans, processes, variables
from bench.errors import DefinitionError
from bench.replies import Answer, Contract, Probed, Reply, Request

PROBE_TIMEOUT_S = 300.0
ANSWER_TIMEOUT_S = 1800.0
# probes and answers at a time: they mostly import and compile, on one or two cores, and nothing is timed
JOBS = max(2, machine.cores() // 4)
ANSWER_CACHE = os.path.join(registry.STATE, "parity-cache")

Say = Callable[[str], None]
Refused = dict[str, tuple[str, str]]  # case id -> (status, reason)
Item = TypeVar("Item")
Result = TypeVar("Result")


class Prepared(NamedTuple):
    """The usable environments, the command's arguments, and `say`, which prints progress."""

    environments: dict[str, registry.Environment]
    pythons: dict[str, str]
    probes: dict[str, Probed]  # by environment
    absent: dict[str, tuple[str, str]]  # environment -> (status, reason)
    devices: dict[str, str | None]  # environment -> device, absent ones included
    proofs: dict[tuple[str, str], str]  # (environment, workload) -> proof hash
    arguments: argparse.Namespace
    say: Say
    machine: Mapping[str, Any] = {}  # `machine.describe`, if runs are measured

    @property
    def names(self) -> list[str]:
        """The usable environments that were asked for, in that order."""
        return [name for name in self.arguments.environment or sorted(self.probes) if name in self.probes]

    def ask(
        self, kind: str, name: str, timeout_s: float, work: Any = None, cache: str = ANSWER_CACHE, **start: Any
    ) -> Reply:
        """Return the reply of an environment's worker to a request; `start` are its other fields (bench/replies.py)."""
        start = {"threads": self.arguments.threads, "frameworks": self.arguments.frameworks, **start}
        request = Request(kind, name, work=work, **start)
        return processes.call(self.pythons[name], self.environments[name], request, timeout_s, cache)

    def answer(self, subjects: Sequence[proof.Subject], folder: str, **start: Any) -> Reply:
        """Let one process answer parity questions about one program into a folder; return its reply."""
        name, mode = subjects[0].environment, subjects[0].mode
        loaded = self.probes[name].loaded
        about = [proof.about(subject, self.environments[name], loaded) for subject in subjects]
        return self.ask("answer", name, ANSWER_TIMEOUT_S, Answer(subjects, about, loaded, folder), mode=mode, **start)

    def proof_of(self, subject: proof.Subject) -> str:
        """Return the proof hash of a subject."""
        plain = self.proofs[subject.environment, subject.workload]
        return proof.of_mode(plain, self.environments[subject.environment], subject.mode)

    def is_kept(self, subject: proof.Subject) -> bool:
        """Return whether an answer of a subject's present code is kept."""
        return proof.is_kept(subject, self.proof_of(subject), self.arguments.answers)


def in_parallel(label: str, do: Callable[[Item], tuple[Result, str]], items: Sequence[Item], say: Say) -> list[Result]:
    """Call `do` with each item, JOBS at a time; return its results in the order of the items.

    `do` returns (result, text). A text that is not empty is said at once.
    """
    results: dict[int, Result] = {}

    def call(place: int) -> None:
        results[place], text = do(items[place])
        if text:
            say(f"{label} {len(results)}/{len(items)}  {text}")

    processes.side_by_side([functools.partial(call, place) for place in range(len(items))], JOBS)
    return [results[place] for place in range(len(items))]


def _interpreters(arguments: argparse.Namespace, all_names: Iterable[str]) -> tuple[dict[str, str], bool]:
    """Return the interpreter of each environment, and whether environments were named.

    Without names, this interpreter is tried for all of them.
    """
    for name, _ in arguments.python + arguments.absent:
        registry.environment(name, arguments.frameworks)
    if arguments.python or arguments.absent:
        absent = dict(arguments.absent)
        return {name: python for name, python in arguments.python if name not in absent}, True
    return dict.fromkeys(arguments.environment or all_names, sys.executable), bool(arguments.environment)


def prepare(arguments: argparse.Namespace, say: Say, place: Mapping[str, Any] | None = None) -> Prepared:
    """Probe each environment in its interpreter; raises DefinitionError if none can be used or is named absent.

    If runs are measured, `place` is their machine (`without_blind`).
    """
    orphans.clear()
    rows = registry.environments(arguments.frameworks)
    pythons, are_named = _interpreters(arguments, rows)
    absent = {name: ("absent", reason) for name, reason in arguments.absent}
    for name in pythons:
        variables.check(rows[name])

    def probe(name: str) -> tuple[Reply, str]:
        request = Request("probe", name, arguments.frameworks, arguments.threads, arguments.device)
        return processes.call(pythons[name], rows[name], request, PROBE_TIMEOUT_S, ""), ""

    probes = {}
    for name, reply in zip(sorted(pythons), in_parallel("probe", probe, sorted(pythons), say)):
        if reply.probed:
            probes[name] = reply.probed
            versions = ", ".join(f"{package} {version}" for package, version in reply.probed.loaded.items() if version)
            say(f"{name:18} ready on the {reply.probed.device}: {versions}")
        elif are_named:
            absent[name] = (reply.status, reply.reason or "")
            say(f"{name:18} {reply.status}: {reply.reason}")
    if not probes and not absent:
        raise DefinitionError(
            f"{os.path.basename(sys.executable)} cannot import the framework of any environment. Install one (see "
            "bench/frameworks/*/framework.toml), or let Nox do it: nox -s bench."
        )
    devices = {**{name: probed.device for name, probed in probes.items()}, **dict.fromkeys(absent, arguments.device)}
    asked = getattr(arguments, "workload", None) or registry.workload_names()
    proofs = {(name, workload): proof.proof_hash(workload, rows[name], probes[name].loaded)
              for name in probes for workload in registry.answered(rows[name]) if workload in asked}  # fmt: skip
    pythons = {name: pythons[name] for name in probes}
    prepared = Prepared(rows, pythons, probes, absent, devices, proofs, arguments, say)
    return without_blind(prepared, place) if place else prepared


def without_blind(prepared: Prepared, place: Mapping[str, Any]) -> Prepared:
    """Leave out environments that have a build for GPUs but see none on a machine (`place`) that has one.

    If the driver is too old, frameworks use the CPU without a warning. With `--device`, that device is measured.
    """
    prepared = prepared._replace(machine=place)
    if prepared.arguments.device or not place["gpu"]:
        return prepared
    with_gpu = [name for name in prepared.devices if prepared.environments[name].gpu]
    blind = [name for name in with_gpu if prepared.devices[name] == "cpu"]
    reason = (
        f"sees no GPU, though there is one here ({place['gpu']}, driver {place['gpu_driver']}). The driver may be too "
        "old for this build, or the build has no CUDA. --device cpu measures the CPU"
    )
    for name in blind:
        prepared.say(f"{name:18} left out: it {reason}")
    return prepared._replace(
        pythons={name: python for name, python in prepared.pythons.items() if name not in blind},
        probes={name: reply for name, reply in prepared.probes.items() if name not in blind},
        absent=dict(prepared.absent, **dict.fromkeys(blind, ("absent", reason))),
        devices=dict(prepared.devices, **dict.fromkeys(with_gpu, "gpu")),
    )


def subjects(cases: Iterable[Case], prepared: Prepared) -> list[proof.Subject]:
    """Return the subjects that must have proven parity before these cases are measured, without repetitions."""
    wanted = [proof.subject_of(case) for case in cases if (case.environment, case.workload) in prepared.proofs]
    return list(dict.fromkeys(part for subject in wanted for part in (subject.first, subject)))


def answer_all(wanted: Iterable[proof.Subject], prepared: Prepared) -> dict[proof.Subject, tuple[str, str]]:
    """Let each subject answer unless an answer of its code is kept; return (status, reason) of the failed ones."""
    force = getattr(prepared.arguments, "force", False)
    groups: dict[tuple[str, str, str], list[proof.Subject]] = {}  # one process answers each after one import
    for subject in wanted:
        if force or not prepared.is_kept(subject):
            groups.setdefault((subject.workload, subject.environment, subject.mode), []).append(subject)

    def ask(group: list[proof.Subject]) -> tuple[dict[proof.Subject, tuple[str, str]], str]:
        first = group[0]
        reply = prepared.answer(group, prepared.arguments.answers, device="cpu", threads=_threads_of_each(prepared))
        is_ok, why = reply.status == "ok", (reply.status, reply.reason or "")
        failed = {} if is_ok else {subject: why for subject in group if not prepared.is_kept(subject)}
        optimizers = ", ".join(subject.optimizer for subject in group)
        outcome = f"{'answered' if is_ok else reply.reason} in {reply.duration_s:.0f} s"
        tail = f"\n{reply.error_tail}" if reply.error_tail else ""
        return failed, f"{first.workload} ({optimizers}) {first.environment}/{first.mode}: {outcome}{tail}"

    return {key: why for failed in in_parallel("parity", ask, list(groups.values()), prepared.say)
            for key, why in failed.items()}  # fmt: skip


def _threads_of_each(prepared: Prepared) -> int:
    return max(1, int(prepared.arguments.threads) // JOBS)


def check_contracts(prepared: Prepared, documented_only: bool = False) -> dict[tuple[str, str, str], dict[str, str]]:
    """Check the contracts of adapters in each mode (or in the documented one alone) with each workload.

    Returns {(environment, workload, mode): {sentence: how it was broken, or ""}}.
    """
    workloads = prepared.arguments.workload or registry.workload_names()
    asked = [
        (name, workload, mode.name)
        for name, workload in sorted(key for key in prepared.proofs if key[0] in prepared.names and key[1] in workloads)
        for mode in registry.modes(prepared.environments[name], "train")[: 1 if documented_only else None]
    ]

    def check(key: tuple[str, str, str]) -> tuple[dict[str, str], str]:
        name, workload, mode = key
        reply = prepared.ask("contract", name, ANSWER_TIMEOUT_S, Contract([(workload, mode, None)]),
                             device=prepared.arguments.device, threads=_threads_of_each(prepared))  # fmt: skip
        checks: dict[str, str] = reply.checks[0] if reply.checks else {reply.status: reply.reason or ""}
        return checks, f"{workload} {name}/{mode}: {_kept(checks, reply)}"

    return dict(zip(asked, in_parallel("contract", check, asked, prepared.say)))


def _kept(checks: Mapping[str, str], reply: Reply) -> str:
    """Return how many sentences were kept, in how many seconds; and below, which were broken, and how."""
    notes = [f"      note: {checks[compiling.NOTE]}"] if compiling.NOTE in checks else []
    problems = [(sentence, problem) for sentence, problem in sorted(checks.items()) if sentence != compiling.NOTE]
    broken = [f"      BROKE {sentence}: {problem}" for sentence, problem in problems if problem]
    kept = f"{len(problems) - len(broken)} of {len(problems)} sentences kept in {reply.duration_s:.0f} s"
    return "\n".join([kept, *broken, *notes] + ([reply.error_tail] if reply.error_tail else []))


def compare(prepared: Prepared) -> tuple[list[proof.Pair], list[proof.Subject]]:
    """Return the selected pairs of kept answers (`proof.matrix`), and the stale answers, which are left out."""
    arguments = prepared.arguments
    asked = arguments.workload or registry.workload_names()
    proofs = {key: hash_ for key, hash_ in prepared.proofs.items() if key[1] in asked}
    stale = proof.stale(proofs, prepared.environments, asked, arguments.answers)
    return proof.matrix(arguments.answers, arguments.workload, arguments.environment, stale), stale


def unable(cases: Iterable[Case], prepared: Prepared) -> Refused:
    """Return the cases whose environment or mode is absent, or does not support their workload."""
    refused = {}
    for case in cases:
        row, name = prepared.environments[case.environment], ablations.split(case.mode)[0]
        lacking = machine.missing_packages(
            next((mode.system for mode in row.modes if mode.name == name and mode.system), {})
        )
        if case.environment in prepared.absent:
            refused[case.id] = prepared.absent[case.environment]
        elif (case.environment, case.workload) not in prepared.proofs:
            refused[case.id] = ("unsupported", f"{row.title} {why_unanswered(row, case.workload)}")
        elif lacking:
            refused[case.id] = ("absent", f"in mode {case.mode}: {lacking}")
    return refused


def why_unanswered(environment: registry.Environment, workload_name: str) -> str:
    """Return why an environment does not answer a workload, as the rest of a sentence after its title."""
    if environment.only and workload_name not in environment.only:
        return f"is there for {', '.join(environment.only)} alone"
    stated = environment.unanswered.get(workload_name)
    return f"does not answer {workload_name}: {stated}" if stated else f"has no model file for {workload_name}"


def unproven(cases: Sequence[Case], prepared: Prepared) -> Refused:
    """Let `cases` prove parity unless they have; return those that did not."""
    failed = answer_all(subjects(cases, prepared), prepared)
    kept, refused = proof.Kept(prepared.arguments.answers), {}
    for case in cases:
        subject = proof.subject_of(case)
        verdict = proof.judge(subject, prepared.proof_of(subject), kept=kept)
        without = next((part for part in (subject.first, subject) if part in failed), None)
        if without:
            status, reason = failed[without]
            refused[case.id] = ("unsupported" if status == "unsupported" else "unproven", reason)
        elif not verdict.passes:
            refused[case.id] = ("unproven", verdict.reason)
    return refused
