"""Did two programs do the same work? Outputs, weights, losses and sizes, against two processes of the same program."""

import math
import statistics
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from bench.versus.verdict import Reply

EXACT = 1e-3  # relative difference that rounding may make
TWIN_FACTOR = 2.0  # programs differ if they differ so much more than two processes of one program
UPDATE_FACTOR = 1.5  # between the sizes of updates; twins with other seeds differ by less
LOSS_FACTOR = 2.0  # between first losses
WEIGHTS_FACTOR = 1.02  # between numbers of weights: PyTorch's LSTM has two bias vectors, Keras' has one
COUNT_FACTOR = 1.1  # between FLOPs


class Work(NamedTuple):
    """Whether the same work is "shown", "not shown" or "different", and the sentences that say why."""

    verdict: str
    sentences: list[str]


class _Evidence(NamedTuple):
    """One comparison: `is_same` is None if it cannot tell."""

    is_same: bool | None
    sentence: str


def judge(names: Sequence[str], looks: Sequence[Reply], twins: Sequence[Reply], losses: Sequence[Any]) -> Work:
    """Compare two programs by the replies of their looks and twins, and by the first losses of each process."""
    evidence = [*_arrays(looks, twins), *_updates(names, looks, twins), *_sizes(names, looks), *_losses(names, losses)]
    is_shown = any(item.is_same and item.sentence.startswith("Same") for item in evidence)
    differs = any(item.is_same is False for item in evidence)
    verdict = "different" if differs else "shown" if is_shown else "not shown"
    wanted = [item.sentence for item in evidence if (item.is_same is False) or not differs]
    return Work(verdict, wanted or ["Nothing to compare: the programs have no outputs() or weights()."])


def _arrays(looks: Sequence[Reply], twins: Sequence[Reply]) -> Iterator[_Evidence]:
    """Compare outputs before the first step, and outputs and weights after some steps."""
    for when, name in (("before", "outputs"), ("after", "outputs"), ("after", "weights")):
        both = [look.get(when, {}).get(name) for look in looks]
        if None in both:
            continue
        moment = "before the first step" if when == "before" else "after the same steps"
        gap = distance(*both)
        if gap is None:
            yield _Evidence(None, f"{name.capitalize()} cannot be compared: their shapes differ.")
            continue
        own = max(distance(look[when][name], twin[when][name]) or 0.0 for look, twin in zip(looks, twins))
        if own > EXACT:
            yield _Evidence(
                None if gap <= TWIN_FACTOR * own else False,
                f"{name.capitalize()} {moment} differ by {gap:.1e}; two processes of the same program by {own:.1e}.",
            )
        else:
            is_same = gap <= EXACT
            differ = f"Same {name}" if is_same else f"{name.capitalize()} differ"
            yield _Evidence(is_same, f"{differ} {moment}: largest relative difference {gap:.1e}.")


def distance(one: Sequence[Any], other: Sequence[Any]) -> float | None:
    """Return the largest relative difference between two lists of arrays; None if they cannot be compared.

    Arrays of one shape are compared number by number. Whole arrays of another order of axes are compared as sorted
    numbers. A difference is relative to the largest number of both arrays.
    """
    if len(one) != len(other):
        return None
    gaps = [_distance(*pair) for pair in zip(one, other)]
    return None if None in gaps else max((gap for gap in gaps if gap is not None), default=None)


def _distance(one: Any, other: Any) -> float | None:
    first, second = one["values"], other["values"]
    if one["shape"] != other["shape"]:
        is_whole = len(first) == math.prod(one["shape"]) and len(second) == len(first)
        if not is_whole or sorted(one["shape"]) != sorted(other["shape"]):
            return None
        first, second = sorted(first), sorted(second)
    largest = max((abs(number) for number in [*first, *second]), default=0.0)
    if not math.isfinite(largest) or any(math.isnan(number) for number in [*first, *second]):
        return math.inf
    return max((abs(a - b) for a, b in zip(first, second)), default=0.0) / largest if largest else 0.0


def _updates(names: Sequence[str], looks: Sequence[Reply], twins: Sequence[Reply]) -> Iterator[_Evidence]:
    """Compare how much the steps change the weights, which depends little on random initial weights."""
    own, again = [_update(look) for look in looks], [_update(twin) for twin in twins]
    if None in own or None in again:
        return
    sizes, repeats = [size or 0.0 for size in own], [size or 0.0 for size in again]
    text = f"The steps change the weights by {sizes[0]:.2%} in {names[0]} and by {sizes[1]:.2%} in {names[1]}."
    twin = max(_factor(size, repeat) for size, repeat in zip(sizes, repeats))
    yield _Evidence(None if _factor(*sizes) <= UPDATE_FACTOR * twin**TWIN_FACTOR else False, text)


def _update(look: Reply) -> float | None:
    """Return the root mean square of the change of the weights, relative to that of the weights."""
    before, after = (look.get(when, {}).get("weights") for when in ("before", "after"))
    if not before or not after or len(before) != len(after):
        return None
    old, new = ([number for array in arrays for number in array["values"]] for arrays in (before, after))
    size = math.sqrt(statistics.fmean(number**2 for number in old))
    return math.sqrt(statistics.fmean((a - b) ** 2 for a, b in zip(old, new))) / size if size else None


def _factor(one: float, other: float) -> float:
    low, high = sorted((abs(one), abs(other)))
    return high / low if low else (1.0 if not high else math.inf)


def _sizes(names: Sequence[str], looks: Sequence[Reply]) -> Iterator[_Evidence]:
    """Compare the number of weights, and FLOPs where both frameworks count them."""
    for fact, words, limit in (
        ("parameters", "weights", WEIGHTS_FACTOR),
        ("flops_per_step", "FLOPs per step", COUNT_FACTOR),
    ):
        values = [_counted(look, fact) for look in looks]
        if not all(values):
            continue
        (one, other), counters = [float(next(iter(each.values()))) for each in values], [set(each) for each in values]
        counts_alike = fact == "parameters" or counters[0] == counters[1]  # each framework has its own rules for FLOPs
        is_same = _factor(one, other) <= limit or not counts_alike
        where = "in both" if one == other else f"in {names[0]}, {other:,.0f} in {names[1]}"
        rules = "" if counts_alike else ", each counted by its framework's own rules"
        yield _Evidence(None if is_same else False, f"{one:,.0f} {words} {where}{rules}.")


def _counted(look: Reply, name: str) -> dict[str, Any]:
    """Return a number of each framework that knows it: Keras and its backend may both do."""
    return {own: facts[name] for own, facts in look.get("facts", {}).items() if facts.get(name) is not None}


def _losses(names: Sequence[str], losses: Sequence[Sequence[Sequence[float | None]]]) -> Iterator[_Evidence]:
    """Compare the losses of the first steps; each program has a list for each of its processes."""
    firsts = [[run[0] for run in runs if run and run[0] is not None] for runs in losses]
    if not all(firsts):
        return
    finite = [all(math.isfinite(value) for value in values) for values in firsts]
    if not all(finite):
        bad = " and ".join(name for name, is_finite in zip(names, finite) if not is_finite)
        yield _Evidence(False if any(finite) else None, f"Loss of the first step is not a finite number in {bad}.")
        return
    shown = [
        f"{name} {' to '.join(f'{value:.4g}' for value in sorted({min(values), max(values)}))}"
        for name, values in zip(names, firsts)
    ]
    gap = _gap_of_losses(losses)
    if gap is not None:
        yield _Evidence(True, f"Same losses in the first steps: largest relative difference {gap:.1e}.")
        return
    one, other = (statistics.fmean(values) for values in firsts)
    apart = max(firsts[0]) < min(firsts[1]) or max(firsts[1]) < min(firsts[0])
    differs = apart and (_factor(one, other) > LOSS_FACTOR or one * other < 0)
    yield _Evidence(False if differs else None, f"Loss of the first step: {', '.join(shown)}.")


def _gap_of_losses(losses: Sequence[Sequence[Sequence[float | None]]]) -> float | None:
    """Return the largest relative difference of seeded losses that change with the steps; None if they differ."""
    runs = [run for runs in losses for run in runs]
    if any(len(run) != len(runs[0]) or None in run for run in runs) or len(set(runs[0])) < len(runs[0]):
        return None
    columns = [[value or 0.0 for value in column] for column in zip(*runs)]
    gap = max((_factor(min(column), max(column)) - 1.0 for column in columns), default=math.inf)
    return gap if gap <= EXACT else None
