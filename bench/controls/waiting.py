"""The wait removed on purpose, in every adapter: which sentence of the contract notices?"""

import functools
from types import SimpleNamespace
from typing import Any, Callable, Dict, List, Tuple

from bench import controls, registry
from bench.controls import Session
from bench.errors import Unsupported
from bench.worker import contract, programs
from bench.worker.candidate import Sentence

ORDER = 6
NAME = "waiting"
WORKLOAD = "mnist_mlp"  # or the lightest that an environment answers
EACH_S = 8.0
TIMEOUT_S = 600.0
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


def _asked(place: Session) -> List[controls.Question]:
    answering = {name for name, _ in place.prepared.proofs}
    known = {
        name: controls.first_case(place, WORKLOAD, name).workload for name in place.environments if name in answering
    }
    return [controls.question(place, *pair, sabotage=name) for name in SABOTAGES for pair in known.items()]


def expected_s(place: Session) -> float:
    """Return the seconds of all environments."""
    return EACH_S * len(_asked(place))


def measure(place: Session) -> None:
    """Ask every environment, with each sabotage and with none."""
    controls.ask_each(place, NAME, _asked(place), TIMEOUT_S)


def inside(
    request: Dict[str, Any],
    environment: registry.Environment,
    adapter: Any,
    sentences: Tuple[Sentence, ...] = contract.ABOUT_WAITING,
) -> Dict[str, Any]:
    """Return the sentences about waiting that a sabotaged adapter breaks, and how.

    Raises Unsupported where there is no wait to leave out.
    """
    if registry.is_large(request["workload"]):
        raise Unsupported("it answers no small network, and of a large one no sentence is about waiting")
    if request["sabotage"] == HANDLE:
        program, batch = programs.in_training(request, environment, adapter)
        if isinstance(program.step(batch), float):
            raise Unsupported("a step waits by itself and returns the number: there is no wait to leave out")
    sabotage = SABOTAGES[request["sabotage"]]
    sabotaged = SimpleNamespace(Program=lambda *words: Sabotaged(adapter.Program(*words), sabotage))
    found = contract.check(environment, sabotaged, request["mode"], request["workload"], sentences)
    broken = {sentence: problem for sentence, problem in sorted(found.items()) if problem}
    return {"about": {"caught_by": ", ".join(broken), "because": "; ".join(broken.values())[:400]}, "series": {}}
