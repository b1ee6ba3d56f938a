"""Our time beside that of the framework's own timer, and our network beside the framework's own of the same name."""

from typing import Any, Callable, Dict, List, Optional, Tuple

from bench import controls, own_controls, registry
from bench import measure as loop
from bench.controls import HEAVY, Session
from bench.controls.overhead import alternate, steps_per_block
from bench.errors import Unsupported
from bench.worker import programs

ORDER = 5
NAME = "agreement"
TIMER, MODEL = "timer", "model"
TIMED = "cifar10_cnn"  # a step of some 0.3 s on a laptop: what a training loop adds to each is small beside it
BLOCK_S = 0.3
FEWEST = 10  # turns
AT_LEAST_S = 10.0
EACH_S = {TIMER: 30.0, MODEL: 100.0}
TIMEOUT_S = 1800.0


def _asked(place: Session) -> List[controls.Question]:
    return controls.questions(place, TIMED, beside=TIMER) + controls.questions(place, HEAVY, beside=MODEL)


def expected_s(place: Session) -> float:
    """Return the seconds of all environments; about half of them have a network of their own."""
    return sum(EACH_S[question["beside"]] * (0.5 if question["beside"] == MODEL else 1) for question in _asked(place))


def measure(place: Session) -> None:
    """Ask every environment for its own timer, and for its own network."""
    controls.ask_each(place, NAME, _asked(place), TIMEOUT_S)


def inside(request: Dict[str, Any], environment: registry.Environment, adapter: Any) -> Dict[str, Any]:
    """Alternate blocks of our loop with what it is held against, and return the seconds per step of both."""
    program, batch = programs.in_training(request, environment, adapter)
    rival = _timer if request["beside"] == TIMER else _model
    name, theirs = rival(request, environment, adapter, program, batch)
    steps = steps_per_block(program, batch, BLOCK_S)
    theirs(steps)  # traces, compiles and allocates
    timed = {"ours_s": lambda: loop.block(program, batch, steps)[0] / steps, "theirs_s": lambda: theirs(steps)}
    series = alternate(request["seed"], timed, FEWEST, AT_LEAST_S)
    return {"about": {"name": name}, "series": dict(series, steps=[steps])}


Theirs = Tuple[str, Callable[[int], float]]  # what it is called, and a function from steps to seconds per step


def _own(environment: registry.Environment, function: str) -> Optional[Callable[..., Any]]:
    """Return a function of its framework's controls.py, or None where there is none."""
    is_there = function in own_controls.names(environment)
    return getattr(own_controls.load(environment), function) if is_there else None


def _timer(_: Any, environment: registry.Environment, __: Any, program: Any, batch: Any) -> Theirs:
    own_timer = _own(environment, "own_timer")
    if own_timer is None:
        raise Unsupported("%s has no timer of its own: its folder's controls.py has no own_timer" % environment.title)
    name, theirs = own_timer(program, batch)
    return name, theirs


def _model(request: Dict[str, Any], environment: registry.Environment, adapter: Any, *_: Any) -> Theirs:
    own_model = _own(environment, "own_model")
    written = registry.model(environment, request["workload"])
    found = own_model(request["workload"], written) if own_model else None
    if found is None:
        raise Unsupported("%s has no %s of its own" % (environment.title, request["workload"]))
    name, source = found
    program, batch = programs.in_training(request, environment, adapter, source)
    return name, lambda steps: loop.block(program, batch, steps)[0] / steps
