"""Profiles set the size of the work, never the code path."""

from typing import NamedTuple, Optional

METERED_S = 10.0  # more than bench/driver/telemetry.py wants to tell an energy


class Profile(NamedTuple):
    """How long a run measures, and how many rounds a campaign makes."""

    name: str
    block_s: float  # a turn is one block, which lasts at least this long
    least_turns: int  # of a round
    most_turns: int  # up to which competitors take turns for twice as long as they took to start
    is_patient: bool  # wait for cores that no neighbour slows, altogether for as long as blocks take
    metered_s: float  # for which each goes on alone on a GPU, in the round after the fewest: blocks tell no energy
    min_rounds: int  # what does not fit this often into the budget is left out, with that reason
    max_rounds: int
    half_width: float  # from min_rounds on, stop when every interval is at most this wide on either side
    budget_s: Optional[float]
    timeout_s: float  # of one run
    most_epochs: Optional[int]  # of a run over a data set; None: as many as the source
    first_only: bool  # only a workload's first batch size and first optimizer


PROFILES = {
    profile.name: profile
    for profile in (
        Profile("smoke", 0.02, 3, 3, False, 1.0, 1, 1, 0.0, 100.0, 120.0, 1, True),
        Profile("quick", 0.1, 5, 10, True, METERED_S, 4, 10, 0.01, 390.0, 240.0, 3, True),
        Profile("full", 0.1, 5, 60, True, METERED_S, 4, 40, 0.01, None, 7200.0, None, False),
    )
}

# Of the controls, no choice of users: blocks as those of `full`, and as many turns as those make of a light workload.
# (Many names for one program start in less time than its rivals would: for twice as long as that, they make half.)
CONTROL = Profile("control", 0.1, 60, 60, True, METERED_S, 20, 20, 0.0, None, 240.0, None, True)


def named(name: str) -> Profile:
    """Return a profile by its name, that of the controls as well."""
    return CONTROL if name == CONTROL.name else PROFILES[name]
