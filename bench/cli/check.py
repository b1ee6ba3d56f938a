"""Check a contribution alone: a workload, an environment, or a workload in one environment.

  nox -s check -- --workload linear                     in each environment that answers it: about a minute
  nox -s check -- --workload linear --environment jax   there alone
  nox -s check -- --environment jax                     all that it answers: minutes for each large network
  nox -s check -- --workload linear --all-modes         and not only in the documented modes

It looks at what the recipes of CONTRIBUTING.md ask for:

  parameters   PARAMETERS is how many numbers the workload's weights() makes
  costs        bench/costs/<workload>.py says how often each layer is applied; a warning where it is missing
  looks        no other environment has the colour and the marker, and both can be told apart
  lint         ruff finds nothing in the files of the workload or of the framework
  contract     the program keeps every sentence of bench/worker/contract.py
  parity       it computes what the other environments do; who has answered for this code is not asked again
  ablation     each one of it computes the same as the other environments, or something else, as it states
  loader       each one brings the photographs that are in the files, in every pass of a short run
  oracle       and what the statement says in NumPy (bench/oracle/<workload>.py); a warning where that is missing
  mistakes     GELU by tanh, a norm's epsilon times ten and another activation, planted in a copy of each model file:
               parity finds each; a warning where it does not

and ends with a table: what was checked, and what broke and why. Exit code 1 where anything broke.
"""

import argparse
import glob
import importlib.util
import os
import subprocess
import sys
from typing import Callable, Dict, List, Sequence

from bench import ablations, compiling, costs, oracle, proof, registry
from bench.campaign import preflight, report
from bench.cases import STEPS, Selection, select
from bench.cli import mistakes, variants
from bench.cli.outcomes import BROKE, OK, UNSUPPORTED, WARNING, Row
from bench.errors import BenchError, DefinitionError
from bench.proof import consensus as judge

NEXT = "Next: nox -s tests, and commit it with its answers in results/parity/."
NO_ORACLE = "no bench/oracle/%s.py: below three other frameworks nobody can tell which answer is odd"
# Okabe and Ito's colours, which the colour-blind tell apart, and grey; not their black: a dark page would hide it.
COLORS = ("#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#7f7f7f")
MARKERS = tuple("ov^<>8sp*hHDdPX")  # those of matplotlib that are filled, but the point, which is too small


def require_names(arguments: argparse.Namespace) -> None:
    """Raise DefinitionError unless a workload or an environment is named, and each of them is one."""
    if not arguments.workload and not arguments.environment:
        raise DefinitionError(
            "Say what is new: --workload NAME, --environment NAME, or both. Everything is checked by nox -s tests."
        )
    for name in arguments.workload:
        registry.workload(name)
    for name in arguments.environment:
        registry.environment(name, arguments.frameworks)


def look_at_all(arguments: argparse.Namespace, say: preflight.Say) -> List[Row]:
    """Look at all that belongs to what is named; first at what takes no time."""
    known = registry.environments(arguments.frameworks)
    rows = [_looked("parameters", name, parameters) for name in arguments.workload]
    rows += [costs_of(name) for name in arguments.workload]
    rows += [_looked("looks", name, lambda name: looks(name, known)) for name in arguments.environment]
    rows.append(lint(files(arguments, known), say))
    try:
        prepared = preflight.prepare(arguments, say)
    except DefinitionError as error:
        return rows + [Row("environments", "-", BROKE, str(error))]
    return rows + _absent(prepared) + _programs(prepared) + variants.look(prepared)


def _looked(what: str, of: str, look: Callable[[str], str]) -> Row:
    try:
        return Row(what, of, OK, look(of))
    except BenchError as error:
        return Row(what, of, BROKE, str(error))
    except Exception as error:  # noqa: BLE001 - what a statement raises is what broke
        return Row(what, of, BROKE, "%s: %s" % (type(error).__name__, error))


def parameters(workload: str) -> str:
    """Count what a workload's weights() makes, and make none of it; raises DefinitionError where it states another."""
    problem = registry.workload(workload)
    count = sum(outline.size for outline in problem.weights(costs.Outline()).values())
    if count != problem.PARAMETERS:
        raise DefinitionError("PARAMETERS is %d, and weights() makes %d: one is wrong" % (problem.PARAMETERS, count))
    return "%d numbers" % count


def costs_of(workload: str) -> Row:
    """Look whether the file of a workload's costs fits every layer."""
    if not costs.is_known(workload):
        missing = "no bench/costs/%s.py: its share of the machine is unknown (bench/costs/__init__.py has the words)"
        return Row("costs", workload, WARNING, missing % workload)
    return _looked("costs", workload, lambda name: "%d kernels" % len(costs.kernels(name)))


def looks(name: str, known: Dict[str, registry.Environment]) -> str:
    """Return an environment's colour and marker; raises DefinitionError where it cannot be told by them."""
    own = known[name]
    for key, value, allowed in (("color", own.color, COLORS), ("marker", own.marker, MARKERS)):
        if value not in allowed:
            raise DefinitionError('%s = "%s" is none of: %s' % (key, value, " ".join(allowed)))
    alike = [each.name for each in known.values() if (each.color, each.marker) == (own.color, own.marker)]
    if alike != [name]:
        raise DefinitionError("%s have one colour and marker: give %s another pair" % (" and ".join(alike), name))
    return "%s %s" % (own.color, own.marker)


def files(arguments: argparse.Namespace, known: Dict[str, registry.Environment]) -> List[str]:
    """Return the files of the workloads and of the environments' frameworks, as far as they are there."""
    found = []
    for name in arguments.workload:
        found += [os.path.join(folder, name + ".py") for folder in (registry.WORKLOADS, costs.FOLDER)]
        found += [registry.model_path(each, name) for each in known.values()]
    for name in arguments.environment:
        found += glob.glob(os.path.join(known[name].folder, "*.py"))
    return sorted({path for path in found if os.path.exists(path)})


def lint(paths: Sequence[str], say: preflight.Say) -> Row:
    """Let ruff look at files, where it is installed."""
    of = "files: %d" % len(paths)
    if importlib.util.find_spec("ruff") is None:
        return Row("lint", of, WARNING, "not looked at: ruff is not installed here (nox -s check has it)")
    broken = [words[0] for words in (["check"], ["format", "--check"]) if not _ruff(words + list(paths), say)]
    if broken:
        return Row("lint", of, BROKE, "ruff %s, above: `ruff check --fix` and `ruff format` mend most" % (
            " and ".join(broken)))  # fmt: skip
    return Row("lint", of, OK, "ruff check, ruff format")


def _ruff(words: List[str], say: preflight.Say) -> bool:
    done = subprocess.run(
        [sys.executable, "-m", "ruff"] + words, cwd=registry.ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        universal_newlines=True, check=False,
    )  # fmt: skip
    if done.returncode:
        say(done.stdout.rstrip())
    return done.returncode == 0


def _absent(prepared: preflight.Prepared) -> List[Row]:
    """Return a row for each environment that could not be asked: it is missed where it was named."""
    named = prepared.arguments.environment
    return [Row("environment", name, BROKE if name in named else WARNING, "not here: " + reason)
            for name, (_, reason) in sorted(prepared.absent.items()) if not named or name in named]  # fmt: skip


def _programs(prepared: preflight.Prepared) -> List[Row]:
    """Look at what runs, inside the environments."""
    arguments = prepared.arguments
    selection = Selection(
        arguments.workload, arguments.environment, tasks=STEPS, documented_only=not arguments.all_modes
    )
    subjects = preflight.subjects(select(selection, prepared.devices, arguments.frameworks), prepared)
    rows = [Row("parity", name, BROKE, why) for name, why in sorted(_unanswered(subjects, prepared).items())]
    if subjects:
        rows += contract(prepared) + parity(subjects, prepared)
        rows += [row for name in dict.fromkeys(each.workload for each in subjects)
                 for row in oracles(name, subjects, prepared)]  # fmt: skip
        rows += planted(subjects, prepared)
    return rows


def oracles(workload: str, subjects: List[proof.Subject], prepared: preflight.Prepared) -> List[Row]:
    """Hold each answer to a workload against what its statement says in NumPy."""
    if not oracle.is_known(workload):
        return [Row("oracle", workload, WARNING, NO_ORACLE % workload)]
    kept = proof.Kept(prepared.arguments.answers)
    own = [each for each in subjects if each.workload == workload and ablations.is_same(each.mode)]
    given = [(each, kept.answers(workload, each.optimizer).get(each)) for each in own if each.first == each]
    found = {each: judge.problem_of(workload, each.task, each.environment, arrays) for each, arrays in given if arrays}
    broken = [Row("oracle", _called(each), BROKE, problem) for each, problem in found.items() if problem]
    return broken or [Row("oracle", workload, OK, "%d answers are as near as float32 allows" % len(found))]


def planted(subjects: List[proof.Subject], prepared: preflight.Prepared) -> List[Row]:
    """Plant mistakes in the model files that are checked: one that parity does not see is told."""
    found = mistakes.plant_all(subjects, prepared)
    rows = [Row("mistakes", "%s %s/%s" % each[1:4], WARNING, "a planted %s %s" % (each.mistake, each.problem))
            for each in found if each.problem]  # fmt: skip
    whole = [Row("mistakes", _named(prepared.arguments), OK, "%d planted, each seen" % len(found))]
    return rows or whole * bool(found)


def _unanswered(subjects: List[proof.Subject], prepared: preflight.Prepared) -> Dict[str, str]:
    """Return {what was named and has no model file: what to do}; where both were named, each of both with each."""
    arguments = prepared.arguments
    here = [name for name in arguments.environment if name in prepared.probes] if arguments.environment else [None]
    answered = {pair for each in subjects for pair in ((each.workload, each.environment),
                                                       (each.workload, None), (None, each.environment))}  # fmt: skip
    idle = [(workload, name) for workload in arguments.workload or [None] for name in here
            if (workload, name) not in answered]  # fmt: skip
    todo = "no model file: write bench/frameworks/<framework>/%s.py"
    return {" ".join(filter(None, pair)): todo % (pair[0] or "<workload>") for pair in idle}


def _named(arguments):
    return ", ".join(arguments.workload + arguments.environment)


def contract(prepared: preflight.Prepared) -> List[Row]:
    """Look whether the programs keep every sentence of the contract."""
    found = preflight.check_contracts(prepared, documented_only=not prepared.arguments.all_modes)
    problems = {
        ("%s %s/%s" % (workload, name, mode), sentence): problem
        for (name, workload, mode), checks in found.items()
        for sentence, problem in sorted(checks.items())
        if problem and sentence != UNSUPPORTED
    }
    rows = [Row("contract", of, WARNING if sentence == compiling.NOTE else BROKE, "%s: %s" % (sentence, problem))
            for (of, sentence), problem in problems.items()]  # fmt: skip
    kept = sum(map(len, found.values())) - len(rows)
    is_broken = any(row.outcome == BROKE for row in rows)
    return rows + [Row("contract", _named(prepared.arguments), OK, "%d sentences kept" % kept)] * (not is_broken)


def parity(subjects: List[proof.Subject], prepared: preflight.Prepared) -> List[Row]:
    """Look whether each subject computes what most others do; else whether all do who answered the same."""
    failed, arguments = preflight.answer_all(subjects, prepared), prepared.arguments
    pairs, stale = preflight.compare(prepared)
    prepared.say(report.parity_table(pairs, stale) + "\n")
    kept = proof.Kept(arguments.answers)
    verdicts = {
        each: proof.judge(each, prepared.proofs[each.environment, each.workload], without=stale, kept=kept)
        for each in subjects
        if each not in failed
    }
    broken = {_called(each): verdict.reason for each, verdict in verdicts.items() if not verdict.passes}
    broken.update({_called(each): "%s: %s" % why for each, why in failed.items() if why[0] != UNSUPPORTED})
    count, differ = len(pairs) // 2, sum(not row["passes"] for row in pairs) // 2
    if differ and not broken:
        broken = {_named(arguments): "each agrees with most, but %d of %d pairs differ" % (differ, count)}
    rows = _summed("parity", arguments, broken, "%d answers, %d pairs equal" % (len(verdicts), count))
    without = {_called(each): reason for each, (status, reason) in failed.items() if status == UNSUPPORTED}
    return rows + [Row("parity", of, WARNING, reason) for of, reason in without.items()]


def _called(subject):
    return "%s (%s) %s/%s" % subject


def _summed(what: str, arguments: argparse.Namespace, broken: Dict[str, str], whole: str) -> List[Row]:
    """Return a row for each thing that broke, and one for the whole where nothing did."""
    rows = [Row(what, of, BROKE, problem) for of, problem in broken.items()]
    return rows or [Row(what, _named(arguments), OK, whole)]
