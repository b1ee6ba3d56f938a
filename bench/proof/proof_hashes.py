"""Hashes of a question, of a parity proof, of the code that times, and of a file.

A proof is the slice (bench/proof/slices.py) of everything that computes an answer, with the variables that
framework.toml states and the versions that the framework loaded. Only the driver computes it, because an environment's
Python may be another version.
"""

import os
import re
from typing import Dict, FrozenSet, Iterable, List, Optional, Tuple

from bench import ablations, registry
from bench.proof import statements
from bench.proof.places import Place
from bench.proof.slices import Question, digest, file_hash, hash_of

VERSION = "2:"  # before a hash of this version; one of version 1 has none
ASKING = (("answer.py", "answer_training"), ("answer.py", "answer_inference"))
ANSWERS = (  # (file of bench/, name in it): asks, builds and configures a program
    ("worker/__main__.py", "answer"), ("answer.py", "thinned"), ("worker/programs.py", "program"),
    ("worker/programs.py", "framework"), ("ablations/__init__.py", "vary"),
)  # fmt: skip
TIMES = (("worker/run.py", "run"), ("campaign/turns.py", "measure"))
ADAPTER = ("Program", "configure")
# Members that a measured program is called by. A proof holds them too, so that the timed code is proven.
MEASURED = frozenset(("step", "wait", "load", "loop", "fit", "feed", "weights", "place", "outputs", "gradients",
                      "without_dropout", "scale_learning_rate"))  # fmt: skip
# Not followed: how framework.toml is read, whose values are hashed, and how hashes are made.
STOPS = frozenset(("environment", "environments", "proof_hash", "problem_hash", "of_mode", "code_hash", "timing_hash"))
UNMEASURED = (registry.CONTROLS, registry.OWN_PROGRAMS)  # of a framework's folder
WRITES = frozenset(("run_record", "Run", "Epochs"))  # how the line of a run is made: not timed


def _roots(pairs: Iterable[Tuple[str, str]]) -> Tuple[Tuple[str, str], ...]:
    return tuple((os.path.join(registry.HERE, *file.split("/")), name) for file, name in pairs)


def _stated(workload: str) -> str:
    return os.path.join(registry.WORKLOADS, workload + ".py")


def _marked(*parts: str) -> str:
    return VERSION + hash_of(*parts)[:16]


def code_hash(path: str) -> str:
    """Return the first 16 hexadecimal digits of a file's SHA-256, which names the code that was measured."""
    return file_hash(path)[:16]


def versions(loaded: Dict[str, Optional[str]]) -> List[Tuple[str, str]]:
    """Return the versions of the framework's own parts, sorted by name, without those of the device."""
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
    place, adapter = _place(environment), os.path.join(environment.folder, "adapter.py")
    models = _models(registry.model_path(environment, workload), place)
    found = digest(Question(
        place, _roots(ANSWERS) + tuple((adapter, name) for name in ADAPTER), whole=models, near=(_stated(workload),),
        visible=_adapter_files(environment, place), wanted=MEASURED, stops=STOPS,
        words=frozenset().union(*(statements.read(path, place).words for path in models)),
        loaded=(os.path.join(registry.HERE, "worker", "__main__.py"),), stated=_stated_variables(environment),
    ))  # fmt: skip
    return _marked(found, repr(versions(loaded)), _variables(environment))


def of_mode(proof: str, environment: Optional[registry.Environment], mode: str) -> str:
    """Return the hash of a mode: `proof`, and what an ablation changes in it, if it has one."""
    files = ablations.made_by(environment, mode)
    if not files or environment is None:
        return proof
    own = tuple(path for path in files if path.startswith(environment.folder))
    started, place = ablations.started(environment, mode), _place(environment)
    found = digest(Question(
        place, (), whole=own, near=tuple(path for path in files if path not in own),
        visible=_adapter_files(environment, place), wanted=MEASURED, stops=STOPS, stated=_stated_variables(started),
    ))  # fmt: skip
    return _marked(proof, found, _variables(started))


def timing_hash() -> str:
    """Return the hash of what times a run, alike for all environments."""
    return _marked(digest(Question(Place(registry.HERE), _roots(TIMES), stops=STOPS | WRITES)))


def _stated_variables(environment: registry.Environment) -> FrozenSet[str]:
    """Return the variables that an adapter may read: its environment's own, and those that are recorded by their names.

    The driver sets CUDA_VISIBLE_DEVICES, and a result names its device.
    """
    return frozenset([*environment.variables, *environment.listens, "CUDA_VISIBLE_DEVICES"])


def _variables(environment: registry.Environment) -> str:
    return repr(sorted(environment.variables.items()))


def _others(environment: registry.Environment) -> Tuple[str, ...]:
    """Return the endings of files for other environments of the folder: the values that only they give variables."""
    rows = registry.environments(os.path.dirname(environment.folder)).values()
    values = {value for row in rows if row.folder == environment.folder for value in row.variables.values()}
    return tuple("_%s.py" % value for value in values - set(environment.variables.values()))


def _place(environment: registry.Environment) -> Place:
    others = _others(environment)
    hidden = sorted(name for name in os.listdir(environment.folder) if others and name.endswith(others))
    return Place(registry.HERE, environment.folder, tuple(hidden))


def _adapter_files(environment: registry.Environment, place: Place) -> Tuple[str, ...]:
    """Return a framework's files except its models and UNMEASURED, which count where something reached names them."""
    hidden = {name + ".py" for name in registry.workload_names()}.union(place.hidden, UNMEASURED)
    names = sorted(name for name in os.listdir(environment.folder) if name.endswith(".py") and name not in hidden)
    return tuple(os.path.join(environment.folder, name) for name in names)


def _models(path: str, place: Place) -> Tuple[str, ...]:
    """Return a model file, the files that it imports from its framework's folder, and so on."""
    found = [path]
    for model in found:
        imported = {place.find(imported, model)[0] for imported in statements.read(model, place).imports.values()}
        found += sorted(other for other in imported - set(found) if other.startswith(place.folder))
    return tuple(found)
