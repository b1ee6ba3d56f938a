"""One program measured in turns beside the sampler of the machine's state, and without it."""

from typing import Any, Dict, List

from bench import controls, profiles, state, turns
from bench.controls import RUN_S, Place, spread
from bench.turns import Turn

ORDER = 7
NAME = "sampler"
ROUNDS = 10
SAMPLED, ALONE = "sampled", "alone"


def expected_s(place: Place) -> float:
    """Return the seconds of all rounds."""
    return 2 * RUN_S * (place.arguments.rounds or ROUNDS)


def measure(place: Place) -> None:
    """Measure both names in rounds; only beside the runs of one of them does a sampler run."""
    case = spread.steadiest_case(place)
    twins = [case._replace(environment=name) for name in (ALONE, SAMPLED)]
    count, seed = place.arguments.rounds or ROUNDS, place.arguments.seed
    planned = [
        ((twin,), Turn(number, 0, set(twins)))
        for number in range(1, count + 1)
        for twin in turns.order(twins, seed, number)
    ]
    setting = place.twins(profiles.CONTROL, case, [ALONE, SAMPLED])

    def measured(together: controls.Together) -> List[Dict[str, Any]]:
        if together[0][0].environment == ALONE:
            return turns.measure(*together, setting)
        with state.Watch(setting.threads) as watch:
            return turns.measure(*together, setting._replace(watch=watch))

    campaign = place.begin_twins(NAME, case, [ALONE, SAMPLED])
    controls.measure_planned(campaign, planned, measured, setting)
