"""No backend is the fastest everywhere: each is behind another at least once."""

from collections.abc import Sequence

from analysis import units
from analysis.lessons.contrast import HELD, LOST, Effect

ORDER = 4
CLAIM = "no-overall-winner"


def verdict(effects: Sequence[Effect]) -> str:
    """Judge by who is behind another somewhere; the claim fails where one is ahead of all the others everywhere."""
    verdicts = _verdicts(effects)
    if all(HELD in own for own in verdicts.values()):
        return "holds"
    return "fails" if any(own == {LOST} for own in verdicts.values()) else "undecided"


def sentence(effects: Sequence[Effect]) -> str:
    """Return who is behind another at least once, and who never is."""
    verdicts = _verdicts(effects)
    behind = [name for name, own in verdicts.items() if HELD in own]
    never = [name for name, own in verdicts.items() if HELD not in own]
    told = [f"behind another at least once: {units.listing(behind)}" if behind else "none is clearly behind another"]
    text = "; ".join(told + ([f"never: {units.listing(never)}"] if behind and never else []))
    return f"{text[0].upper()}{text[1:]}."


def _verdicts(effects: Sequence[Effect]) -> dict[str, set[str]]:
    """Return what was found of each left side, over all networks."""
    found: dict[str, set[str]] = {}
    for each in effects:
        found.setdefault(each.sides[0], set()).add(each.verdict)
    return found
