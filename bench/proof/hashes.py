"""Hash everything that could change an answer: the question, a model file, what steps it, and the loaded versions."""

import hashlib
import os
import re
from typing import Dict, List, Optional, Tuple

from bench import ablations, registry
from bench.proof import used

PROBLEM = "bench.problem."
ASKING = frozenset(("answer_training", "answer_inference"))  # of bench/answer.py: what asks a program
STEPPING = frozenset(("Program", "configure"))  # of an adapter: what a step depends on


def _digest(*parts: str) -> str:
    total = hashlib.sha256()
    for part in parts:
        total.update(hashlib.sha256(part.encode("utf-8")).digest())
    return total.hexdigest()[:16]


def code_hash(path: str) -> str:
    """Return the first 16 hexadecimal digits of a file's SHA-256: what is shown of it is what was measured."""
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]


def _stated(workload: str) -> str:
    return os.path.join(registry.WORKLOADS, workload + ".py")


def _statement(workload: str) -> List[str]:
    """Return the file that states a workload, and before it those of the workloads it builds on."""
    return [path for base in builds_on(workload) for path in _statement(base)] + [_stated(workload)]


def builds_on(workload: str) -> List[str]:
    """Return the workloads that the file which states a workload imports from, as often as it does."""
    with open(_stated(workload), encoding="utf-8") as file:
        return re.findall(r"^from bench\.workloads\.(\w+) import", file.read(), re.MULTILINE)


def problem_hash(workload: str) -> str:
    """Return the hash of the question: answers with different ones cannot be compared.

    It is of the workload's statement, of what asks a program, and of what these import from bench/problem.py.
    """
    statement = _statement(workload)
    asking, problem = (os.path.join(registry.HERE, name) for name in ("answer.py", "problem.py"))
    imported = {name + "." for path in statement + [asking] for name in used.imported(path)}
    names = frozenset(name[len(PROBLEM) : -1] for name in imported if name.startswith(PROBLEM))
    return _digest(*map(used.whole, statement), used.by(ASKING, [asking]), used.by(names, [problem]))


def versions(loaded: Dict[str, Optional[str]]) -> List[Tuple[str, str]]:
    """Return the versions that a framework loaded of itself, sorted by name: what the device adds is left out."""
    return sorted((k, v) for k, v in loaded.items() if v and k not in ("cuda", "cudnn", "device_name"))


def proof_hash(workload: str, environment: registry.Environment, loaded: Dict[str, Optional[str]]) -> str:
    """Return the hash of question, model file, what steps it of the adapter, and the framework's loaded versions.

    The model file counts to the letter, so that a proof is of one `code`; and the adapter's rows of layers count where
    that file, or one that it imports from its folder, names the layer.
    """
    path = registry.model_path(environment, workload)
    model = [used.whole(each) for each in _model_files(path)]
    adapter = used.by(STEPPING, _adapter_files(environment), used.words_of("\n".join(model)))
    return _digest(problem_hash(workload), repr(versions(loaded)), code_hash(path), *model, adapter)


def of_mode(proof: str, environment: Optional[registry.Environment], mode: str) -> str:
    """Return the hash of a mode that has `proof` as it is: with the files that change one thing of it, if any do."""
    files = ablations.made_by(environment, mode)
    return _digest(proof, *map(used.whole, files)) if files else proof


def _model_files(path: str) -> List[str]:
    """Return a model file, what it imports from its own folder, and so on."""
    files, beside = [path], set(os.listdir(os.path.dirname(path)))
    for each in files:
        named = {part + ".py" for name in used.imported(each) for part in name.split(".")}
        found = {os.path.join(os.path.dirname(path), name) for name in named & beside}
        files.extend(sorted(found - set(files)))
    return files


def _adapter_files(environment: registry.Environment) -> List[str]:
    """Return a framework's files beside its models and controls.

    Without `backend_jax.py` where not this environment, but another of the folder, sets a variable to `jax`.
    """
    known = registry.environments(os.path.dirname(environment.folder)).values()
    values = {value for each in known if each.folder == environment.folder for value in each.variables.values()}
    of_others = tuple("_%s.py" % value for value in values - set(environment.variables.values()))
    others = {name + ".py" for name in registry.workload_names()} | {registry.CONTROLS}
    entries = sorted(entry for entry in os.listdir(environment.folder) if entry.endswith(".py"))
    return [os.path.join(environment.folder, e) for e in entries if e not in others and not e.endswith(of_others)]
