"""One program measured in turns beside the sampler of the machine's state, and without it."""

from typing import Any, Dict

from bench import controls, profiles, rounds, state
from bench.cases import Case
from bench.controls import LIGHT, Place

ORDER = 7
NAME = "sampler"
ROUNDS = 10
RUN_S = 6.0
SAMPLED, ALONE = "sampled", "alone"


def expected_s(place: Place) -> float:
    """Return the seconds of all rounds."""
    return 2 * RUN_S * (place.arguments.rounds or ROUNDS)


def measure(place: Place) -> None:
    """Measure both names in rounds; only beside the runs of one of them does a sampler run."""
    case = controls.first_case(place, LIGHT)
    twins = [case._replace(environment=name) for name in (ALONE, SAMPLED)]
    count, seed = place.arguments.rounds or ROUNDS, place.arguments.seed
    planned = [(twin, round_) for round_ in range(1, count + 1) for twin in rounds.order(twins, seed, round_)]
    setting = place.twins(profiles.CONTROL, case, [ALONE, SAMPLED])

    def measured(twin: Case, *words: Any) -> Dict[str, Any]:
        if twin.environment == ALONE:
            return rounds.measure(twin, *words, setting)
        with state.Watch(setting.threads) as watch:
            return rounds.measure(twin, *words, setting._replace(watch=watch))

    controls.measure_planned(place.begin(NAME, twins), planned, RUN_S, measured)
