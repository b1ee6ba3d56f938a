"""One program measured in turns beside the sampler of the machine's state, and without it."""

from typing import Any, Dict

from bench import controls, profiles, rounds, state
from bench.cases import Case
from bench.controls import RUN_S, Place, spread

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
    planned = [(twin, round_) for round_ in range(1, count + 1) for twin in rounds.order(twins, seed, round_)]
    setting = place.twins(profiles.CONTROL, case, [ALONE, SAMPLED])

    def measured(twin: Case, *words: Any) -> Dict[str, Any]:
        if twin.environment == ALONE:
            return rounds.measure(twin, *words, setting)
        with state.Watch(setting.threads) as watch:
            return rounds.measure(twin, *words, setting._replace(watch=watch))

    campaign = place.begin_twins(NAME, case, [ALONE, SAMPLED])
    controls.measure_planned(campaign, planned, setting, measured)
