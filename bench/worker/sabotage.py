"""Remove the wait of an adapter on purpose, and see which sentences of the contract notice."""

import functools
from types import SimpleNamespace
from typing import Any, Callable, Dict, Tuple

from bench import registry
from bench.errors import Unsupported
from bench.replies import ControlPart
from bench.worker import contract, programs
from bench.worker.candidate import Sentence

NOTHING, HANDLE = "nothing", "handle"


class Sabotaged:
    """A program whose wait is another one, `sabotage(this, handle)`; everything else is the program's own."""

    def __init__(self, program: Any, sabotage: Callable[["Sabotaged", Any], Any]) -> None:
        self.program = program
        self.wait = functools.partial(sabotage, self)
        self.before: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.program, name)


def _previous(program: Sabotaged, handle: Any) -> Any:
    """Return the number of the step before, which is ready by then, or the first one's own."""
    before, program.before = program.before, handle
    return program.program.wait(handle if before is None else before)


SABOTAGES = {
    NOTHING: lambda program, handle: program.program.wait(handle),
    "constant": lambda *_: 2.0,  # at once, a plausible loss that it made up
    "previous": _previous,
    HANDLE: lambda _, handle: handle,  # what the step returned
}


def caught(
    part: ControlPart,
    environment: registry.Environment,
    adapter: Any,
    sentences: Tuple[Sentence, ...] = contract.ABOUT_WAITING,
) -> Dict[str, str]:
    """Return the sentences about waiting that a sabotaged adapter breaks, and how.

    Raises Unsupported where there is no wait to leave out.
    """
    if registry.is_large(part.workload):
        raise Unsupported("it answers no small network, and of a large one no sentence is about waiting")
    if part.sabotage == HANDLE:
        program, batch = programs.in_training(part, environment, adapter)
        if isinstance(program.step(batch), float):
            raise Unsupported("a step waits by itself and returns the number: there is no wait to leave out")
    sabotage = SABOTAGES[part.sabotage]
    sabotaged = SimpleNamespace(Program=lambda *words: Sabotaged(adapter.Program(*words), sabotage))
    found = contract.check(environment, sabotaged, part.mode, part.workload, sentences)
    broken = sorted(sentence for sentence, problem in found.items() if problem)
    return {"caught_by": ", ".join(broken), "because": "; ".join(found[sentence] for sentence in broken)[:400]}
