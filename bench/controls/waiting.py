"""The wait removed on purpose, in every adapter: which sentence of the contract notices?"""

from typing import List

from bench import controls
from bench.controls import Session
from bench.worker import sabotage

ORDER = 6
NAME = "waiting"
WORKLOAD = "mnist_mlp"  # or the lightest that an environment answers
EACH_S = 8.0
TIMEOUT_S = 600.0


def _asked(place: Session) -> List[controls.Question]:
    answering = {name for name, _ in place.prepared.proofs}
    known = {
        name: controls.first_case(place, WORKLOAD, name).workload for name in place.environments if name in answering
    }
    return [controls.question(place, *pair, sabotage=name) for name in sabotage.SABOTAGES for pair in known.items()]


def expected_s(place: Session) -> float:
    """Return the seconds of all environments."""
    return EACH_S * len(_asked(place))


def measure(place: Session) -> None:
    """Ask every environment, with each sabotage and with none."""
    controls.ask_each(place, NAME, _asked(place), TIMEOUT_S)
