"""Check a contribution alone: a workload, an environment, or a workload in one environment.

  nox -s check -- --workload linear                     in each environment that answers it: about a minute
  nox -s check -- --workload linear --environment jax   there alone
  nox -s check -- --environment jax                     all that it answers: minutes for each large network
  nox -s check -- --workload linear --all-modes         and not only in the documented modes

It looks at what the recipes of CONTRIBUTING.md ask for:

  parameters   PARAMETERS is how many numbers the workload's weights() makes
  costs        bench/oracle/<workload>.py applies each kernel; a warning where it is missing
  looks        no other environment has the colour and the marker, and both can be distinguished
  lint         ruff finds nothing in the files of the workload or of the framework
  names        no function within a function has the name of one at the top: a proof could not distinguish them
  contract     the program keeps every sentence of bench/worker/contract.py
  parity       it computes what the other environments do; who has answered for this code is not asked again
  ablation     each one of it computes the same as the other environments, or something else, as it states
  loader       each one brings the photographs that are in the files, in every pass of a short run
  oracle       and what the statement says in NumPy (bench/oracle/<workload>.py); a warning where that is missing
  mistakes     GELU by tanh, a norm's epsilon times ten and another activation, planted in a copy of each model file:
               parity finds each.  A warning where it does not

The table comes first: what was checked, and what broke and why. Below it are the pairs of answers that differ, or all
with --all-rows. Exit code 1 where anything broke. A wrong PARAMETERS ends the check at once. While another bench
measures on this machine, the check waits before it starts a framework.

A version is a row of framework.toml whose name has a point, and TOML wants quotes around it:
[environments."keras-jax-3.14"].
"""

import argparse
import ast
import glob
import importlib.util
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from bench import costs, oracle, registry
from bench.campaign import preflight, report
from bench.cli import program_checks
from bench.cli.program_checks import BROKE, OK, WARNING, Checked, Row
from bench.driver import lock
from bench.errors import BenchError, DefinitionError

AGAIN = "Fix what is BROKE; the same command looks again."
NEXT = "Next: nox -s tests, and commit it with its answers in results/parity/."
# Okabe and Ito's colours, which colour-blind readers can distinguish, and grey; a dark page would hide their black
COLORS = ("#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#7f7f7f")
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
MARKERS = tuple("ov^<>8sp*hHDdPX")  # those of matplotlib that are filled, but the point, which is too small


def do_check(arguments: argparse.Namespace) -> int:
    """Check what is named and print the table; returns the exit code."""
    begun = time.monotonic()
    require_names(arguments)
    checked = look_at_all(arguments, report.say)
    print(report.check_table(checked.rows))
    is_broken = any(row.outcome == BROKE for row in checked.rows)
    print("\nChecked in %.0f s. %s" % (time.monotonic() - begun, AGAIN if is_broken else NEXT))
    pairs = [pair for pair in checked.pairs if arguments.all_rows or not pair.passes]
    if pairs or checked.stale:
        print("\n" + report.parity_table(pairs, checked.stale))
    return 1 if is_broken else 0


def require_names(arguments: argparse.Namespace) -> None:
    """Raise DefinitionError unless a workload or an environment is named, and each of them is one."""
    if not arguments.workload and not arguments.environment:
        raise DefinitionError(
            "Say what is new: --workload NAME, --environment NAME, or both. Everything is checked by nox -s tests."
        )
    require_quotes(arguments.frameworks)
    for name in arguments.workload:
        registry.workload(name)
    for name in arguments.environment:
        registry.environment(name, arguments.frameworks)


def require_quotes(frameworks: str) -> None:
    """Raise DefinitionError for a version's row without quotes, which TOML reads as tables within tables."""
    for path in sorted(glob.glob(os.path.join(frameworks, "*", "framework.toml"))):
        with open(path, encoding="utf-8") as file:
            bare = re.search(r"^\s*\[environments\.([\w-]+(?:\.\d[\w-]*)+)\]", file.read(), re.MULTILINE)
        if bare:
            raise DefinitionError('%s: a name with a point needs quotes: write [environments."%s"].' % (path, bare[1]))


def look_at_all(arguments: argparse.Namespace, say: preflight.Say) -> Checked:
    """Look at all that belongs to what is named; first at what takes no time and disturbs no bench."""
    known = registry.environments(arguments.frameworks)
    rows = [_looked("parameters", name, parameters) for name in arguments.workload]
    if any(row.outcome == BROKE for row in rows):
        return Checked(rows)  # each program of it would break
    rows += [costs_of(name) for name in arguments.workload]
    rows += [_looked("looks", name, lambda name: looks(name, known)) for name in arguments.environment]
    paths = files(arguments, known)
    rows += [lint(paths, say), _looked("names", "files: %d" % len(paths), lambda _: names(paths))]
    with lock.alone(say=lambda busy: say("The check waits for its turn. " + busy)):
        try:
            prepared = preflight.prepare(arguments, say)
        except DefinitionError as error:
            return Checked(rows + [Row("environments", "-", BROKE, str(error))])
        checked = program_checks.look(prepared)
    return checked._replace(rows=rows + _absent(prepared) + checked.rows)


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
    """Look whether a workload's network in NumPy applies every kernel."""
    if not oracle.is_known(workload):
        return Row("costs", workload, WARNING, "no bench/oracle/%s.py: its share of the machine is unknown" % workload)
    return _looked("costs", workload, lambda name: "%d kernels" % len(costs.kernels(name)))


def looks(name: str, known: dict[str, registry.Environment]) -> str:
    """Return an environment's colour and marker; raises DefinitionError if they do not identify it."""
    own = known[name]
    for key, value, allowed in (("color", own.color, COLORS), ("marker", own.marker, MARKERS)):
        if value not in allowed:
            raise DefinitionError('%s = "%s" is none of: %s' % (key, value, " ".join(allowed)))
    alike = [each.name for each in known.values() if (each.color, each.marker) == (own.color, own.marker)]
    if alike != [name]:
        raise DefinitionError("%s have one colour and marker: give %s another pair" % (" and ".join(alike), name))
    return "%s %s" % (own.color, own.marker)


def files(arguments: argparse.Namespace, known: dict[str, registry.Environment]) -> list[str]:
    """Return the files of the workloads and of the environments' frameworks, as far as they are there."""
    found = []
    for name in arguments.workload:
        found += [os.path.join(folder, name + ".py") for folder in (registry.WORKLOADS, oracle.FOLDER)]
        found += [registry.model_path(each, name) for each in known.values()]
    for name in arguments.environment:
        found += glob.glob(os.path.join(known[name].folder, "*.py"))
    return sorted({path for path in found if os.path.exists(path)})


def names(paths: Sequence[str]) -> str:
    """Check functions within functions; raises DefinitionError for a name that the file or its adapter also defines.

    A proof counts every definition with a name that is read. Of such a pair it would count both. An edit of the wrong
    one would then ask for new answers.
    """
    inner = 0
    for path in paths:
        adapter = os.path.join(os.path.dirname(path), "adapter.py")
        trees = [_tree(each) for each in dict.fromkeys((path, adapter)) if os.path.exists(each)]
        top = {node.name for tree in trees for node in tree.body if isinstance(node, DEFINITIONS)}
        outer = [node for node in ast.walk(trees[0]) if isinstance(node, ast.FunctionDef)]
        within = {
            each for node in outer for each in ast.walk(node) if isinstance(each, DEFINITIONS) and each is not node
        }
        for node in within:
            inner += 1
            if node.name in top:
                raise DefinitionError(
                    f"{os.path.relpath(path, registry.ROOT)}, line {node.lineno}: the file or its adapter also defines "
                    f"{node.name}() at the top, and a proof cannot distinguish the two. Rename the inner function."
                )
    return "%d functions within functions have names of their own" % inner


def _tree(path: str) -> ast.Module:
    with open(path, encoding="utf-8") as file:
        return ast.parse(file.read(), path)


def lint(paths: Sequence[str], say: preflight.Say) -> Row:
    """Let ruff look at files, where it is installed."""
    of = "files: %d" % len(paths)
    if importlib.util.find_spec("ruff") is None:
        return Row("lint", of, WARNING, "not looked at: ruff is not installed here (nox -s check has it)")
    broken = [words[0] for words in (["check"], ["format", "--check"]) if not _ruff(words + list(paths), say)]
    if broken:
        return Row("lint", of, BROKE, "ruff %s, above: `ruff check --fix` and `ruff format` repair most" % (
            " and ".join(broken)))  # fmt: skip
    return Row("lint", of, OK, "ruff check, ruff format")


def _ruff(words: list[str], say: preflight.Say) -> bool:
    done = subprocess.run(
        [sys.executable, "-m", "ruff"] + words, cwd=registry.ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        universal_newlines=True, check=False,
    )  # fmt: skip
    if done.returncode:
        say(done.stdout.rstrip())
    return done.returncode == 0


def _absent(prepared: preflight.Prepared) -> list[Row]:
    """Return a row for each environment that could not be asked: it is missed where it was named."""
    named = prepared.arguments.environment
    return [Row("environment", name, BROKE if name in named else WARNING, "not here: " + reason)
            for name, (_, reason) in sorted(prepared.absent.items()) if not named or name in named]  # fmt: skip
