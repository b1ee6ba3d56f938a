"""No backend is the fastest everywhere: each is behind another at least once."""

from collections.abc import Sequence

from analysis import units
from analysis.groups import collected
from analysis.lessons import wording
from analysis.lessons.claim_test import HELD, LOST, Effect
from analysis.lessons.verdicts import Counts

ORDER = 4
CLAIM = "no-overall-winner"


def counts(effects: Sequence[Effect]) -> Counts:
    """Count the claim as one comparison: true if each is behind once, false if one is always ahead."""
    found = _by_side(effects).values()
    is_confirmed = bool(found) and all(HELD in verdicts for verdicts in found)
    is_contrary = any(verdicts == {LOST} for verdicts in found)
    return Counts(int(is_confirmed), int(is_contrary), 0, int(not is_confirmed and not is_contrary and bool(found)))


def sentence(effects: Sequence[Effect]) -> str:
    """Return which backends are behind another at least once, and which never are."""
    found = _by_side(effects)
    behind = [name for name, verdicts in found.items() if HELD in verdicts]
    never = [name for name, verdicts in found.items() if HELD not in verdicts]
    told = [f"behind another at least once: {units.listing(behind)}" if behind else "none is clearly behind another"]
    text = "; ".join(told + ([f"never: {units.listing(never)}"] if behind and never else []))
    return f"{text[0].upper()}{text[1:]}, {wording.scope(effects)}."


def effect(effects: Sequence[Effect]) -> str:
    """Return which backends are behind another at least once."""
    behind = [name for name, verdicts in _by_side(effects).items() if HELD in verdicts]
    return f"behind at least once: {units.listing(behind) or 'none'}"


def _by_side(effects: Sequence[Effect]) -> dict[str, set[str]]:
    """Return the verdicts of each left side, over all networks."""
    by_side = collected((each.sides[0], each.verdict) for each in effects)
    return {side: set(verdicts) for side, verdicts in by_side.items()}
