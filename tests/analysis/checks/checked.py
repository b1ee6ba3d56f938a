"""A right campaign, and what `check-results` finds of one."""

import json

import campaign

from analysis.checks import Given, contribution, everything, proofs
from bench import proof, registry
from bench.results import records

NAME = "20261120-090000"
MACHINE = "my-machine"
WORKLOAD, OPTIMIZER = "mnist_mlp", "rmsprop"


def kept_answer(row):
    """Return the file of an environment's answer in its default mode."""
    return contribution.RESULTS / "parity" / proof.Subject(WORKLOAD, OPTIMIZER, row.name, row.modes[0].name).file


ROW = next(row for row in registry.environments().values() if kept_answer(row).exists())
ENVIRONMENT, MODE, ANSWER = ROW.name, ROW.modes[0].name, kept_answer(ROW)


def case(**changes):
    return {**campaign.case(ENVIRONMENT, MODE, workload=WORKLOAD, layout=ROW.layout), **changes}


def asked_of(described):
    return proofs.Asked(WORKLOAD, ENVIRONMENT, tuple(sorted(described["loaded"].items())))


def write(results, lines, machine=MACHINE, name=NAME, is_sealed=True):
    path = results / machine / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    before, sealed = "", []
    for line in lines:
        before = records.seal(line, before) if is_sealed else before
        sealed.append({**line, "seal": before} if is_sealed else line)
    path.write_text("".join(json.dumps(line) + "\n" for line in sealed), encoding="utf-8")
    return path


def findings(results, paths=None, without=("proofs",), **more):
    """Return what is found; by all rules but the one that takes a second, unless a test is about it."""
    given = Given(results, paths or everything(results), contribution.RESULTS / "parity", **more)
    return contribution.check(given, without)
