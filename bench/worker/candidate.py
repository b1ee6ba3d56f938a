"""What the contract is checked of: fresh programs of one workload in one environment and mode."""

from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np

from bench import compiling, registry
from bench.errors import ContractError
from bench.worker import naming, programs

Sentence = Callable[["Candidate"], None]  # raises ContractError with what was expected and what came


class Candidate:
    """One workload in one environment and mode under check: builds programs on demand."""

    def __init__(self, environment: registry.Environment, adapter: Any, mode: str, workload: str) -> None:
        self.environment, self.adapter, self.mode, self.workload = environment, adapter, mode, workload
        self.problem = registry.workload(workload)
        self._used: Dict[str, Any] = {}  # by task: to build and compile one may take a minute
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
        if task not in self._used:
            self._used[task] = self._built(task)
        return self._loaded(self._used[task])

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
            raise naming.explained(error, self.environment, self.adapter, *self._asked(self.task)) from error
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
