"""Build the programs that a contract is checked with, and explain weights that a model names otherwise.

An adapter looks up each weight by its name, so a misspelled name would end in a bare KeyError.
"""

import functools
import os
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

import numpy as np

from bench import compiling, registry
from bench.errors import ContractError
from bench.worker import programs

Sentence = Callable[["Candidate"], None]  # raises ContractError with what was expected and what came
SHOWN = 6  # names on either side
TRIES = 20  # weights that may stand for one, and names that are looked for: a large network loads in a second


class Candidate:
    """One workload in one environment and mode under check: builds programs on demand."""

    def __init__(self, environment: registry.Environment, adapter: Any, mode: str, workload: str) -> None:
        self.environment, self.adapter, self.mode, self.workload = environment, adapter, mode, workload
        self.problem = registry.workload(workload)
        self._reused = functools.lru_cache(maxsize=None)(self._built)  # to build and compile one may take a minute
        self.is_small_and_trained = bool(self.problem.OPTIMIZERS) and not registry.is_large(workload)
        self.task = "train" if self.problem.OPTIMIZERS else "infer"

    def stated(self) -> Dict[str, np.ndarray]:
        """Return the canonical weights, anew each time: a program may train in those that it was given."""
        return self.problem.weights(np.random.RandomState(0))

    def program(self, task: str = "train") -> Tuple[Any, Any]:
        """Return a fresh program, its weights loaded, and one placed batch."""
        return self._loaded(self._built(task))

    def used(self, task: str = "train") -> Tuple[Any, Any]:
        """Return what `program` does, of a program that may have made steps: where no optimizer's state matters."""
        return self._loaded(self._reused(task))

    def without_dropout(self, faster: float = 1.0) -> Tuple[Any, Any]:
        """Return a program that trains without dropout, `faster` than stated, its weights loaded, and its batch."""
        program = self._built("train")
        program.without_dropout()
        program.scale_learning_rate(faster)
        return self._loaded(program)

    def broken(self, sentence: Sentence) -> str:
        """Return what breaks a sentence, or an empty text; names of weights without a partner are an error."""
        try:
            sentence(self)
        except ContractError as error:
            return str(error)
        except KeyError as error:
            raise explained(error, self.environment, self.adapter, *self._asked(self.task)) from error
        return ""

    def compiled(self) -> Optional[str]:
        """Return what a compiler made of a program that has stepped (bench/compiling.py)."""
        program, batch = self.used(self.task)
        program.wait(program.step(batch))
        return compiling.made(self.adapter, self.environment, self.mode, program)

    def _asked(self, task: str) -> Tuple[str, str, str, str]:
        return self.workload, task, self.mode, next(iter(self.problem.OPTIMIZERS)) if task == "train" else "none"

    def _built(self, task: str) -> Any:
        return programs.program(self.adapter, self.environment, *self._asked(task))

    def _loaded(self, program: Any) -> Tuple[Any, Any]:
        program.load(self.stated())
        return program, program.place(*registry.parity_batch(self.problem, np.random.RandomState(1)))


def expect(holds: Any, message: str, *values: Any) -> None:
    """Raise ContractError unless something holds."""
    if not holds:
        raise ContractError(message % values)


class Named(NamedTuple):
    """The names without a partner: asked for and not stated, and stated and never asked for."""

    unknown: List[str]
    unused: List[str]


class Asked(Dict[str, np.ndarray]):
    """Weights that remember which of them were asked for by name."""

    def __init__(self, weights: Dict[str, np.ndarray]) -> None:
        super().__init__(weights)
        self.names: Set[str] = set()

    def __getitem__(self, name: str) -> np.ndarray:
        self.names.add(name)
        return super().__getitem__(name)


def unmatched(program: Any, stated: Dict[str, np.ndarray]) -> Named:
    """Return the names that have no partner, where a program fails to load the stated weights by a name."""
    given, unknown = dict(stated), []
    missing, used = _load(program, given)
    while missing and len(unknown) < TRIES:
        unknown.append(missing)
        missing, used = _beyond(program, given, missing, set(stated) - used)
    return Named(sorted(unknown), sorted(set(stated) - used) if unknown else [])


def _load(program: Any, given: Dict[str, np.ndarray]) -> Tuple[str, Set[str]]:
    """Load weights; return the first name that they lack, or an empty text, and the names that were asked for."""
    asked = Asked(given)
    try:
        program.load(asked)
    except KeyError as error:
        name = error.args[0] if error.args else ""
        return (name if isinstance(name, str) and name not in given else ""), asked.names
    return "", asked.names


def _beyond(program: Any, given: Dict[str, np.ndarray], missing: str, spare: Set[str]) -> Tuple[str, Set[str]]:
    """Go on with the first spare weight that fits in place of a missing one: one of its kind, if any does."""
    kind = missing.rpartition(".")[2]
    for name in sorted(spare, key=lambda each: (each.rpartition(".")[2] != kind, each))[:TRIES]:
        given.update(_stand_in(given, missing, name))
        try:
            return _load(program, given)
        except Exception:  # noqa: BLE001, S112 - of another shape: each framework raises what it likes
            continue
    return "", set(given) - spare


def _stand_in(given: Dict[str, np.ndarray], missing: str, name: str) -> Dict[str, np.ndarray]:
    """Return a weight under the name that is missing; and its whole layer, where that is the name of a layer."""
    layer = name.rpartition(".")[0] + "."
    whole = [each for each in given if each.startswith(layer)] if "." not in missing else []
    return dict({missing + "." + each[len(layer) :]: given[each] for each in whole}, **{missing: given[name]})


def explained(error: KeyError, environment: registry.Environment, adapter: Any, *asked: str) -> Exception:
    """Return an error that lists the names without a partner, where there are any, or the error that was raised.

    `asked` are the workload, task, mode and optimizer of the program that could not be loaded.
    """
    stated = registry.workload(asked[0]).weights(np.random.RandomState(0))
    found = unmatched(programs.program(adapter, environment, *asked), stated)
    return ContractError(told(found, asked[0], os.path.basename(environment.folder))) if found.unknown else error


def told(found: Named, workload: str, framework: str) -> str:
    """Say which names have no partner, why that is likely so, and what to do."""
    return (
        "The model has weights that the workload does not state: %s; the workload states weights that the model never "
        "asks for: %s. Likely a layer is misspelled, or is one too many: name layers in bench/frameworks/%s/%s.py as "
        "in bench/workloads/%s.py." % (_listed(found.unknown), _listed(found.unused), framework, workload, workload)
    )


def _listed(names: Sequence[str]) -> str:
    more = ["and %d more" % (len(names) - SHOWN)] if len(names) > SHOWN else []
    return ", ".join(list(names[:SHOWN]) + more) or "none"
