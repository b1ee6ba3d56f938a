"""Our time beside that of the framework's own timer, and our network beside the framework's own of the same name."""

from typing import List

from bench import controls
from bench.controls import HEAVY, Session
from bench.worker.controls import MODEL, TIMER

ORDER = 5
NAME = "agreement"
TIMED = "cifar10_cnn"  # a step of some 0.3 s on a laptop: what a training loop adds to each is small beside it
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
