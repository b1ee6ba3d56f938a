"""Plant a mistake in a copy of a model file, let it answer, and say whether parity finds it.

A framework's file says how a mistake is written there, as [planted.<name>] of framework.toml: {right: wrong}. One that
nobody sees means that parity proves less of this network than it seems.
"""

import functools
import os
import shutil
import tempfile
from typing import Dict, List, NamedTuple, Tuple

from bench import answer, proof, registry
from bench.campaign import preflight
from bench.driver import processes

IN_MODEL_FILES = ("gelu", "norm_epsilon", "activation")  # others are an adapter's

UNSEEN = "passes unseen: write bench/oracle/%s.py, or let three other frameworks answer"


class Planted(NamedTuple):
    """A mistake in one model file; `problem` is why it proves nothing of parity, empty where parity found it."""

    mistake: str
    workload: str
    environment: str
    mode: str
    problem: str


def altered(code: str, replacements: Dict[str, str]) -> str:
    """Return a model file's code with a mistake wherever it has a place."""
    for right, wrong in replacements.items():
        code = code.replace(right, wrong)
    return code


def _files(subjects: List[proof.Subject], prepared: preflight.Prepared) -> List[Tuple[str, registry.Environment]]:
    """Return each model file once: environments of one framework share it, and the first default one stands for it."""
    found: Dict[Tuple[str, str], registry.Environment] = {}
    names = {(each.workload, each.environment) for each in subjects}
    for workload, name in sorted(names, key=lambda key: not prepared.environments[key[1]].is_default):
        row = prepared.environments[name]
        found.setdefault((workload, row.framework), row)
    return [(workload, row) for (workload, _), row in found.items()]


def plant_all(subjects: List[proof.Subject], prepared: preflight.Prepared) -> List[Planted]:
    """Plant each mistake in each model file that has a place for it; return what was seen of each."""
    wanted = [(workload, row, mistake) for workload, row in _files(subjects, prepared)
              for mistake in IN_MODEL_FILES if _has_place(workload, row, mistake)]  # fmt: skip
    found: List[Planted] = []

    def plant(workload: str, row: registry.Environment, mistake: str) -> None:
        found.append(_plant(workload, row, mistake, prepared))
        seen = found[-1].problem or "seen"
        prepared.say("mistake %d/%d  %s %s, %s: %s" % (len(found), len(wanted), workload, row.name, mistake, seen))

    processes.side_by_side([functools.partial(plant, *each) for each in wanted], preflight.JOBS)
    return sorted(found)


def _has_place(workload, row, mistake):
    with open(registry.model_path(row, workload), encoding="utf-8") as file:
        code = file.read()
    return altered(code, row.planted.get(mistake, {})) != code


def _plant(workload, row, mistake, prepared):
    """Let inference answer, whose outputs tell, in the documented mode and a folder of its own, beside the others."""
    mode = registry.modes(row, "infer")[0].name
    subject = proof.Subject(workload, "none", row.name, mode)
    with tempfile.TemporaryDirectory() as folder:
        frameworks = _copied(row, workload, mistake, folder)
        answers = _beside(subject, prepared.arguments.answers, folder)
        reply = prepared.ask(
            row.name, preflight.ANSWER_TIMEOUT_S, request="answer", device="cpu", precision="fp32",
            folder=answers, frameworks=frameworks, **prepared.questions([subject]),
        )  # fmt: skip
        return Planted(mistake, workload, row.name, mode, _problem(subject, reply, answers))


def _problem(subject, reply, answers):
    if reply["status"] != "ok":
        return "does not run, and so proves nothing (%s)" % reply["reason"]
    about = answer.read(os.path.join(answers, subject.file))["about"]
    return UNSEEN % subject.workload if proof.judge(subject, about["proof"], answers).passes else ""


def _copied(row, workload, mistake, folder):
    """Copy a framework's folder with a mistake in one model file; return the folder of frameworks."""
    target = os.path.join(folder, "frameworks", os.path.basename(row.folder))
    shutil.copytree(row.folder, target, ignore=shutil.ignore_patterns("__pycache__"))
    path = os.path.join(target, workload + ".py")
    with open(path, encoding="utf-8") as file:
        code = altered(file.read(), row.planted[mistake])
    with open(path, "w", encoding="utf-8") as file:
        file.write(code)
    return os.path.dirname(target)


def _beside(subject, answers, folder):
    """Copy what other environments have answered to a question; return the folder."""
    target = os.path.join(folder, "answers")
    for each in proof.answers(subject.workload, subject.optimizer, answers):
        if each.environment != subject.environment:
            place = os.path.join(target, each.file)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            shutil.copy(os.path.join(answers, each.file), place)
    return target
