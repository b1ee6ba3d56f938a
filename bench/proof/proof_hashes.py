"""Hashes of a question, of a parity proof, of the code that times, and of a file.

A proof is the slice (bench/proof/slices.py) of everything that computes an answer, with the variables that
framework.toml states and the versions that the framework loaded. The driver computes it, and never an environment's own
Python.
"""

import os
import re
from typing import Dict, FrozenSet, Iterable, List, Optional, Tuple

from bench import ablations, registry
from bench.proof import modules
from bench.proof.places import Place
from bench.proof.slices import Question, digest, file_hash, hash_of

VERSION = "2:"  # before a hash of this version; one of version 1 has none
ASKING = (("answer.py", "answer_training"), ("answer.py", "answer_inference"))
ANSWERS = (  # (file of bench/, name in it): what asks, builds and configures the program that answers
    ("worker/__main__.py", "answer"), ("answer.py", "thinned"), ("worker/programs.py", "program"),
    ("worker/framework_setup.py", "framework"),
    ("ablations/__init__.py", "vary"),
)  # fmt: skip
TIMES = (("worker/run.py", "run"), ("campaign/turns.py", "measure"))
ADAPTER = ("Program", "configure")
# What a measured program is asked for beside a parity answer: a proof holds it too, so that what is timed is proven.
MEASURED = frozenset(("step", "wait", "load", "loop", "fit", "feed", "weights", "place", "outputs", "gradients",
                      "without_dropout", "scale_learning_rate"))  # fmt: skip
# Not followed: how framework.toml is read, whose values are hashed, and how hashes are made.
STOPS = frozenset(("environment", "environments", "proof_hash", "problem_hash", "of_mode", "code_hash", "timing_hash"))
WRITES = frozenset(("run_record", "Run", "Epochs"))  # how the line of a run is made, which is no part of its timing


def _roots(pairs: Iterable[Tuple[str, str]]) -> Tuple[Tuple[str, str], ...]:
    return tuple((os.path.join(registry.HERE, *file.split("/")), name) for file, name in pairs)


def _stated(workload: str) -> str:
    return os.path.join(registry.WORKLOADS, workload + ".py")


def _marked(*parts: str) -> str:
    return VERSION + hash_of(*parts)[:16]


def code_hash(path: str) -> str:
    """Return the first 16 hexadecimal digits of a file's SHA-256: what is shown of it is what was measured."""
    return file_hash(path)[:16]


def versions(loaded: Dict[str, Optional[str]]) -> List[Tuple[str, str]]:
    """Return the versions that a framework loaded of itself, sorted by name: what the device adds is left out."""
    return sorted((k, v) for k, v in loaded.items() if v and k not in ("cuda", "cudnn", "device_name"))


def builds_on(workload: str) -> List[str]:
    """Return the workloads that the file which states a workload imports from, as often as it does."""
    with open(_stated(workload), encoding="utf-8") as file:
        return re.findall(r"^from bench\.workloads\.(\w+) import", file.read(), re.MULTILINE)


def problem_hash(workload: str) -> str:
    """Return the hash of the question: answers with different ones cannot be compared."""
    return _marked(digest(Question(Place(registry.HERE), _roots(ASKING), near=(_stated(workload),), stops=STOPS)))


def proof_hash(workload: str, environment: registry.Environment, loaded: Dict[str, Optional[str]]) -> str:
    """Return the hash of everything that can change an environment's answer to a workload.

    Raises DefinitionError for code of the framework's folder that no proof can follow.
    """
    found = digest(proof_question(workload, environment))
    return _marked(found, repr(versions(loaded)), _variables(environment.variables))


def proof_question(workload: str, environment: registry.Environment) -> Question:
    """Return of what the slice is made that can change an environment's answer to a workload."""
    model = registry.model_path(environment, workload)
    place = _place(environment)
    adapter = os.path.join(environment.folder, "adapter.py")
    models = _models(model, place)
    return Question(
        place, _roots(ANSWERS) + tuple((adapter, name) for name in ADAPTER), whole=models, near=(_stated(workload),),
        visible=_adapter_files(environment, place), wanted=MEASURED, stops=STOPS,
        words=frozenset().union(*(modules.read(each, place).words for each in models)),
        loaded=(os.path.join(registry.HERE, "worker", "__main__.py"),), stated=_stated_variables(environment),
    )  # fmt: skip


def of_mode(proof: str, environment: Optional[registry.Environment], mode: str) -> str:
    """Return the hash of a mode that has `proof` as it is: with what changes one thing of it, if anything does."""
    files = ablations.made_by(environment, mode)
    if not files or environment is None:
        return proof
    own = tuple(path for path in files if path.startswith(environment.folder))
    started = ablations.started(environment, mode)
    place = _place(environment)
    found = digest(Question(
        place, (), whole=own, near=tuple(path for path in files if path not in own),
        visible=_adapter_files(environment, place), wanted=MEASURED, stops=STOPS, stated=_stated_variables(started),
    ))  # fmt: skip
    return _marked(proof, found, _variables(started.variables))


def timing_hash() -> str:
    """Return the hash of what times a run, alike for all environments."""
    return _marked(digest(Question(Place(registry.HERE), _roots(TIMES), stops=STOPS | WRITES)))


def _stated_variables(environment: registry.Environment) -> FrozenSet[str]:
    """Return the variables that an adapter may read: its environment's own, and those that are recorded by their names.

    The driver sets CUDA_VISIBLE_DEVICES, and a result names its device.
    """
    return frozenset(environment.variables) | frozenset(environment.listens) | {"CUDA_VISIBLE_DEVICES"}


def _variables(stated: Dict[str, str]) -> str:
    return repr(sorted(stated.items()))


def _others(environment: registry.Environment) -> Tuple[str, ...]:
    """Return how the names end of files for other environments of the folder: what they alone set a variable to."""
    known = registry.environments(os.path.dirname(environment.folder)).values()
    values = {value for each in known if each.folder == environment.folder for value in each.variables.values()}
    return tuple("_%s.py" % value for value in values - set(environment.variables.values()))


def _place(environment: registry.Environment) -> Place:
    others = _others(environment)
    hidden = [name for name in os.listdir(environment.folder) if others and name.endswith(others)]
    return Place(registry.HERE, environment.folder, tuple(sorted(hidden)))


def _adapter_files(environment: registry.Environment, place: Place) -> Tuple[str, ...]:
    """Return a framework's files beside its models and controls; these count where something reached names them."""
    apart = {name + ".py" for name in registry.workload_names()} | {registry.CONTROLS}
    hidden = apart.union(place.hidden)
    names = sorted(name for name in os.listdir(environment.folder) if name.endswith(".py"))
    return tuple(os.path.join(environment.folder, name) for name in names if name not in hidden)


def _models(path: str, place: Place) -> Tuple[str, ...]:
    """Return a model file, what it imports from its framework's folder, and so on."""
    found = [path]
    for each in found:
        imported = {place.find(own, each)[0] for own in modules.read(each, place).imports.values()}
        found += sorted(other for other in imported - set(found) if other.startswith(place.folder))
    return tuple(found)
