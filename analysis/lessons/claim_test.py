"""Judge what is claimed as data: two sides that differ in one thing, and by how much one is said to take longer.

A claim's `contrast` names both, as in `environment=keras-jax|keras-torch / environment=keras-tensorflow`. Each cell of
the left side is compared with each cell of the right side that is equal in everything else. Semicolons divide several
such pairs. The compared value is the time per step, or the `measure` that a side names; if the measures differ, a cell
is compared with itself. If no mode is named, both sides are in their documented default mode. If both are of one
environment, both run the framework's own loop, or neither does. A `variant` is the change of an ablation
(bench/ablations): it is compared with `variant=none`, the documented mode, in the rounds that both share. For a network
that is fed, the variant is the loader, and the network is the same on both sides.
"""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from analysis.estimate import aggregate, contrasts
from analysis.estimate.contrasts import AS_DOCUMENTED, NAMES, VARIANT, Place, Words, is_among, pairs, places
from analysis.estimate.estimates import Estimates, Question
from analysis.estimate.pairs import between
from analysis.literature import Claim
from analysis.load.table import Results
from analysis.stats import interval, shared_variance
from bench import ablations

MEASURES = {
    "step": aggregate.step_s, "first_step": aggregate.first_step_s, "first_epoch": aggregate.first_s,
    "whole_epoch": aggregate.whole_epoch_s, "whole_first_epoch": aggregate.whole_first_s,
    "memory": aggregate.memory_bytes, "score": aggregate.final_score, "loss": aggregate.last_loss,
}  # fmt: skip
ALIKE = 1.05  # an interval within 1/1.05 to 1.05 is too small a difference to matter
HELD, LOST, OPEN = "true", "false", "inconclusive"
EQUAL = f"no effect beyond {100 * (ALIKE - 1):.0f} %"


class Expected(NamedTuple):
    """What a claim says of a ratio: that it is above or below `edge`, or within it on either side of 1."""

    sign: str  # ">", "<" or "~"
    edge: float

    @property
    def has_no_number(self) -> bool:
        """Whether the claim states a direction alone: then a difference within 5 % is none."""
        return self.edge == 1

    @property
    def edges(self) -> tuple[float, ...]:
        """What an interval must be clear of; only a ratio beyond 1.01 or below 1/1.01 is called a difference."""
        if self.sign == "~" or self.has_no_number:
            clear = max(self.edge, interval.FASTER)
            return 1 / clear, clear
        return (self.edge,)

    def verdict(self, ratio: float) -> str:
        """Return what a ratio that is clear of every edge comes to; within 1 % of 1, it is neither side's."""
        low, high = self.edges[0], self.edges[-1]
        if self.sign == "~":
            return HELD if low < ratio < high else LOST
        is_above, is_below = ratio > high, ratio < low
        if not is_above and not is_below:
            return EQUAL
        return HELD if is_above == (self.sign == ">") else LOST


class Effect(NamedTuple):
    """One cell's time over that of another, which is like it in all but what is contrasted."""

    question: Question  # of the left side
    sides: tuple[str, str]
    environments: tuple[str, str]  # by title
    ratio: interval.Interval
    error: float | None  # the standard error of the ratio's logarithm
    freedom: float
    verdict: str = OPEN

    @property
    def told(self) -> str:
        """Both sides in words, with the environment where it is one."""
        sides = " / ".join(self.sides)
        return f"{self.environments[0]}: {sides}" if self.environments[0] == self.environments[1] else sides

    def p(self, expected: Expected) -> float:
        """Return the p-value of "the ratio is at an edge of what is expected", of the nearest where there are two."""
        centre = math.log(self.ratio.value)
        return max(interval.p_of(abs(centre - math.log(edge)), self.error, self.freedom) for edge in expected.edges)

    def judged(self, expected: Expected, p: float) -> "Effect":
        """Return it with its verdict, given a p-value that is adjusted for its family of comparisons."""
        low, high = self.ratio.bounds
        is_clear = self.ratio.low is not None and p <= 1 - interval.CONFIDENCE
        is_clear = is_clear and not any(low <= edge <= high for edge in expected.edges)
        is_alike = self.ratio.is_within(ALIKE)
        if is_clear and not (is_alike and expected.has_no_number):
            return self._replace(verdict=expected.verdict(self.ratio.value))
        return self._replace(verdict=EQUAL if is_alike else OPEN)


def expected(text: str) -> Expected:
    """Read what a claim says of a ratio, as in `> 1`.

    Raises:
        ValueError: it is not written so.
    """
    found = re.fullmatch(r"([><~]) (\d+(?:\.\d+)?)", text)
    if found is None:
        raise ValueError(f"expected a sign of > < ~ and a number, as in '> 1.25', got {text!r}")
    return Expected(found[1], float(found[2]))


def read(text: str) -> Words:
    """Read words such as `environment=jax|pytorch mode=eager`.

    Raises:
        ValueError: a word names no coordinate.
    """
    found = dict(word.partition("=")[::2] for word in text.split())
    if unknown := [name for name in found if name not in (*NAMES, "measure")]:
        raise ValueError(f"expected measure, or coordinates among {', '.join(NAMES)}, got {unknown[0]!r} in {text!r}")
    return {name: values.split("|") for name, values in found.items()}


def named(claim: Claim, name: str) -> list[str]:
    """Return the values that a claim names of a coordinate, on either side or where it is about."""
    sides = map(read, [*re.split("[/;]", claim.contrast), claim.where])
    return [value for side in sides for value in side.get(name, ())]


def ablation(claim: Claim) -> str | None:
    """Return the ablation that a claim is judged by; None if there is none. Its results are compared with no others."""
    return min({*named(claim, VARIANT)} - {AS_DOCUMENTED}, default=None)


def effects(claim: Claim, results: Results, answers: Sequence[Estimates]) -> list[Effect]:
    """Return every pair of cells that a claim is about and that has a ratio, in the order of the answers."""
    where = read(claim.where)
    chosen = places(answers, where)
    sides = (map(read, text.split("/")) for text in claim.contrast.split(";"))
    return [effect for left, right in sides for effect in _of_sides(results, chosen, left, right, where)]


def _of_sides(results: Results, chosen: Sequence[Place], left: Words, right: Words, where: Words) -> list[Effect]:
    named, quantities = {*left, *right}, [side.get("measure", ["step"])[0] for side in (left, right)]
    if quantities[0] == quantities[1]:
        both = pairs(chosen, left, right, where)
    else:
        has_mode = {*named, *where} & {"mode", "compiles"}
        alike = (place for place in chosen if has_mode or place.cell.is_default)
        both = [(place, place) for place in alike if is_among(place.about, left) and is_among(place.about, right)]
    effects = (_effect(results, *pair, sorted(named), quantities) for pair in both)
    return [effect for effect in effects if effect is not None]


def _effect(
    results: Results, left: Place, right: Place, named: Sequence[str], quantities: Sequence[str]
) -> Effect | None:
    is_of_steps, is_one_question = {*quantities} == {"step"}, left.answer.question == right.answer.question
    pair = between(left.answer.pairs, right.cell.row, left.cell.row) if is_of_steps and is_one_question else None
    ratio = contrasts.Ratio(pair.ratio, pair.error, pair.freedom) if pair else _ratio(results, left, right, quantities)
    if ratio is None:
        return None
    sides = [" ".join(_told(place, name, quantity) for name in named)
             for place, quantity in zip((left, right), quantities, strict=True)]  # fmt: skip
    return Effect(left.answer.question, (sides[0], sides[1]), (left.cell.title, right.cell.title), *ratio)


def _told(place: Place, name: str, measure: str) -> str:
    changed = place.about[VARIANT]
    words = {
        "measure": measure.replace("_", " "), "compiles": place.about["mode"], "environment": place.cell.title,
        VARIANT: "as documented" if changed == AS_DOCUMENTED else ablations.title(changed),
    }  # fmt: skip
    return words[name] if name in words else place.about[name]


def _ratio(results: Results, left: Place, right: Place, quantities: Sequence[str]) -> contrasts.Ratio | None:
    """Return the ratio of times in shared rounds; of those that share none, of their means.

    The variance between campaigns of a time per step is that of its machine; of another measure, that of its rounds.
    """
    places, is_of_steps = (left, right), {*quantities} == {"step"}
    times, others = (place.times(results, MEASURES[name]) for place, name in zip(places, quantities, strict=True))
    if not times or not others:
        return None
    campaign_of = aggregate.campaign_of(results.runs)
    if times.keys() & others.keys():
        workloads = [place.answer.question.workload for place in places]
        shared = left.answer.shared.of_mean(workloads).pairs if is_of_steps else None
        return contrasts.of_shared_rounds(times, others, campaign_of, shared)
    variances = [place.answer.shared.times if is_of_steps else shared_variance.NOTHING for place in places]
    return contrasts.of_separate_rounds(times, others, campaign_of, variances)
