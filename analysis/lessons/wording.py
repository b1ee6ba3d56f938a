"""Describe a claim's comparisons: how often as claimed, where, in which precision, and what may cause it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from analysis import units
from analysis.groups import collected
from analysis.lessons.claim_test import EQUAL, HELD, LOST, OPEN, Effect, named
from analysis.literature import Claim
from analysis.text import frameworks
from bench import registry

MOST_NAMED = 4  # groups that a sentence lists: more of them tell nobody anything
ALL = {1: "the one comparison", 2: "both comparisons"}


def sentence(found: Sequence[Effect]) -> str:
    """Return how often a claim came out as it says, where, within which ratios, and in which precision."""
    groups = _groups(found)
    verdicts = {each.verdict for each in found}
    told = [_told_of(verdict, found, groups) for verdict in (HELD, LOST, EQUAL, OPEN) if verdict in verdicts]
    lacking = sum(each.ratio.low is None for each in found)
    told += [f"too few rounds for an interval in {lacking}"] if lacking else []
    text, ratios = "; ".join(told), [each.ratio.value for each in found]
    between = " to ".join(dict.fromkeys(map(units.factor, (min(ratios), max(ratios)))))
    return f"{text[0].upper()}{text[1:]}. Ratio{'s' if len(found) > 1 else ''}: {between}, {scope(found)}."


def effect(found: Sequence[Effect]) -> str:
    """Return the ratio of the one comparison with its interval; of several, the median one's and the range of all."""
    ordered = sorted(found, key=lambda each: each.ratio.value)
    middle = ordered[(len(ordered) - 1) // 2].ratio
    between = units.between(middle, units.RATIO)
    if len(ordered) == 1:
        return f"{units.factor(middle.value)} ({between})"
    reach = " to ".join(units.factor(each.ratio.value) for each in (ordered[0], ordered[-1]))
    return f"median {units.factor(middle.value)} ({between}), all {reach}"


def scope(found: Sequence[Effect]) -> str:
    """Return in which precision and on which device comparisons were made, as in "in fp32 on a GPU"."""
    devices = collected(sorted({(effect.question.device, effect.question.precision) for effect in found}))
    groups = collected((units.listing(names), f"a {device.upper()}") for device, names in devices.items())
    return units.listing(f"in {precisions} on {units.listing(names)}" for precisions, names in groups.items())


def place(found: Sequence[Effect]) -> str:
    """Return the devices and precisions of comparisons in few words, as in "CPU fp32"."""
    return ", ".join(sorted({f"{each.question.device.upper()} {each.question.precision}" for each in found}))


def advice(where: str, found: Sequence[Effect], text: str) -> str:
    """Return advice with the scope of the comparisons that support it; a name such as TensorFlow keeps its letters."""
    place = f"{where}{scope(found)}"
    is_name = any(letter.isupper() for letter in text.split(" ", 1)[0][1:])
    return f"{place[0].upper()}{place[1:]}: {text if is_name else text[:1].lower() + text[1:]}"


def cause(claim: Claim) -> str:
    """Return what the frameworks' files state of a claim's possible cause, for the environments that it names."""
    if not claim.cause:
        return ""
    known = named(claim, "environment") or [name for name, each in registry.environments().items() if each.is_default]
    return f" {frameworks.cause(claim.cause, known)}"


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
    """Return verdicts by the coordinate that separates them best."""
    places = [(_coordinates(effect), effect.verdict) for effect in found]
    by_name = (collected((place[name], verdict) for place, verdict in places) for name in places[0][0])
    several = [groups for groups in by_name if len(groups) > 1]
    return min(several, key=lambda groups: (_apart(groups.values()), len(groups)), default={})


def _apart(groups: Iterable[Sequence[str]]) -> int:
    """Return how many verdicts are not the most frequent one of their group."""
    return sum(len(own) - max(Counter(own).values()) for own in groups)


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


def order(found: Sequence[Effect]) -> list[Effect]:
    """Return effects, the contrary ones first, since those decide."""
    return sorted(found, key=lambda effect: ((LOST, HELD, EQUAL, OPEN).index(effect.verdict), -effect.ratio.value))
