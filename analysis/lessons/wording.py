"""What the comparisons that a claim is judged by come to, in words: how often as claimed, where, or why nothing is."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from analysis import units
from analysis.lessons.contrast import HELD, LOST, OPEN, Effect

MOST_NAMED = 4  # groups that a sentence lists: more of them tell nobody anything
SLIGHT = 1.1  # a ratio that is no further from 1 matters to few
WITHIN = f"is within {100 * (SLIGHT - 1):.0f} % of no difference"
ALL = {1: "the one comparison", 2: "both comparisons"}


def sentence(found: Sequence[Effect]) -> str:
    """Return how often a claim came out as it says, where, and within which ratios."""
    groups = _groups(found)
    told = [_told_of(verdict, found, groups) for verdict in (HELD, LOST, OPEN) if verdict in {e.verdict for e in found}]
    text, ratios = "; ".join(told), [each.ratio.value for each in found]
    between = " to ".join(dict.fromkeys(map(units.factor, (min(ratios), max(ratios)))))
    return f"{text[0].upper()}{text[1:]}. Ratio{'s' if len(found) > 1 else ''}: {between}."


def why_open(found: Sequence[Effect]) -> str:
    """Return why nothing can be said: how many comparisons there are, what came, and which lack rounds.

    And how little it can be: a reader who asks whether it matters may know enough.
    """
    ratios = [each.ratio.value for each in found]
    lacking = sum(each.ratio.low is None for each in found)
    slight = sum(each.ratio.is_within(SLIGHT) for each in found)
    if len(found) == 1:
        why = "has too few rounds for an interval" if lacking else "is not clear of what is claimed"
        little = f", and its 99 % interval {WITHIN}" if slight else ""
        return f"the one comparison {why}, with a ratio of {units.factor(ratios[0])}{little}"
    between = f"{units.factor(min(ratios))} to {units.factor(max(ratios))}"
    told = f"none of {len(found)} comparisons is clear of what is claimed, with ratios of {between}"
    little = f"; of {'all' if slight == len(found) else slight} the 99 % interval {WITHIN}" if slight else ""
    have = "has" if lacking == 1 else "have"
    return f"{told}{little}" + (f"; {lacking} {have} too few rounds for an interval" if lacking else "")


def _told_of(verdict: str, found: Sequence[Effect], groups: Mapping[str, Sequence[str]]) -> str:
    """Return how often a verdict was reached, and in which groups mostly."""
    count = sum(each.verdict == verdict for each in found)
    if count == len(found):
        return f"{verdict} in {ALL.get(count, f'all {count} comparisons')}"
    named = [name if len(set(own)) == 1 else f"{name} {own.count(verdict)} of {len(own)}"
             for name, own in groups.items() if Counter(own).most_common(1)[0][0] == verdict]  # fmt: skip
    where = f" ({units.listing(named)})" if 0 < len(named) <= MOST_NAMED else ""
    return f"{verdict} in {count} of {len(found)}{where}"


def _groups(found: Sequence[Effect]) -> dict[str, list[str]]:
    """Return verdicts by that coordinate of all which tells them apart best."""
    best: tuple[tuple[int, int], dict[str, list[str]]] | None = None
    places = [(_coordinates(each), each.verdict) for each in found]
    for name in places[0][0]:
        groups: dict[str, list[str]] = {}
        for place, verdict in places:
            groups.setdefault(place[name], []).append(verdict)
        apart = sum(len(own) - max(Counter(own).values()) for own in groups.values())
        if len(groups) > 1 and (best is None or (apart, len(groups)) < best[0]):
            best = (apart, len(groups)), groups
    return best[1] if best else {}


def _coordinates(each: Effect) -> dict[str, str]:
    """Return what may set an effect apart from others, the most telling first."""
    about = each.question
    return {
        "environments": " over ".join(dict.fromkeys(each.environments)),
        "workload": units.workload_title(about.workload),
        "batch": f"batch size {about.batch_size}",
        "task": about.task,
        "machine": about.machine,
    }


def order(found: Sequence[Effect]) -> Iterator[Effect]:
    """Yield effects, the contrary ones first, since those decide."""
    for verdict in (LOST, HELD, OPEN):
        yield from sorted((each for each in found if each.verdict == verdict), key=lambda each: -each.ratio.value)
