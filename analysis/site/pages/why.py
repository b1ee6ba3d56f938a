"""Why a network's times differ: the slowest environment with its cause and remedy, compilers, modes and ablations."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from analysis.estimate import contrasts, standing
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.estimate.standing import Standing
from analysis.found import Found
from analysis.lessons.claim_test import EQUAL, OPEN, Effect
from analysis.site.pages import is_of_today
from analysis.stats.interval import FASTER, Interval
from analysis.text import frameworks, sentences, slowdown
from analysis.units import count, listing
from bench import registry
from bench.registry import Environment

LAYERS = "recurrent_layers"  # what a folder states of them is a cause; other differences only may be
MOST = 3  # measured effects that a page names


def brief(shown: Sequence[Standing], name: str) -> list[str]:
    """Return who is fastest, who is slowest by how much and why, and what a reader can do about it."""
    answers = [answer for each in shown for answer in each.answers if len(answer.measured) > 1]
    if not answers:
        return []
    return [_fastest(answers), *_slowest(answers, name)]


def _fastest(answers: Sequence[Estimates]) -> str:
    """Return how often each family may be the fastest, the most frequent first."""
    told = listing(f"{family} ({number})" for family, number in standing.leading(answers).items())
    return f"Fastest or tied, of {count(len(answers), 'table')}: {told}." if told else "Too few rounds for a ranking."


def _slowest(answers: Sequence[Estimates], name: str) -> list[str]:
    """Return which family is proven slower than all others most often, why, and what is faster."""
    behind: dict[str, list[Estimates]] = {}
    for answer in answers:
        for cell in answer.measured:
            if slowdown.slower_than(answer, cell) == len(answer.measured) - 1:
                behind.setdefault(standing.family(cell.title), []).append(answer)
    if not behind:
        return []
    family = max(behind, key=lambda name: len(behind[name]))  # of two as often, that on a GPU
    own = behind[family]
    known = [standing.slow_downs(answer)[family] for answer in own]
    told = f"Slowest: {family}, {slowdown.among(min(known), max(known))} slower than the fastest on {_machines(own)}."
    because = [f"{each[0].upper()}{each[1:]}." for each in causes(_cell(own[0], family).row[0], name)]
    return [told, *because, *_remedy(own, family)]


def _machines(answers: Sequence[Estimates]) -> str:
    return count(len({each.question.machine for each in answers}), "machine")


def causes(environment: str, name: str) -> list[str]:
    """Return what an environment's folder states of the recurrent layers of a network that has some."""
    known = registry.environments().get(environment)
    text = known.differs.get(LAYERS, "") if known and frameworks.matters(LAYERS, name) else ""
    named = {each.backend for each in registry.environments().values() if each.backend in text}
    return [f"{LAYERS.replace('_', ' ')}: {text}"] if known and text and (known.backend in named or not named) else []


def _cell(answer: Estimates, family: str) -> Cell:
    return next(cell for cell in answer.measured if standing.family(cell.title) == family)


def _remedy(answers: Sequence[Estimates], family: str) -> list[str]:
    """Return by how much the same code on another backend is faster, and the same backend without the layer above."""
    mine = registry.environments().get(_cell(answers[0], family).row[0])
    if mine is None:
        return []
    moved = _faster(answers, family, lambda other: other.backend != mine.backend and other.folder == mine.folder)
    below = _faster(answers, family, lambda other: other.backend == mine.backend and other.folder != mine.folder)
    same = listing([f"{name} ({gain})" for name, gain in moved], "or")
    parts = [f"Remedy: run the same code on {same}."] if moved else []
    parts += [f"{listing(f'{name} itself is {gain}' for name, gain in below)}."] if below else []
    return [" ".join(parts)] if parts else []


def _faster(
    answers: Sequence[Estimates], family: str, is_wanted: Callable[[Environment], bool]
) -> list[tuple[str, str]]:
    """Return the families of wanted environments that are faster everywhere, with by how much."""
    known, gains = registry.environments(), dict[str, list[float]]()
    for answer in answers:
        for cell in answer.measured:
            if (other := known.get(cell.row[0])) and is_wanted(other):
                gains.setdefault(standing.family(cell.title), []).append(_gain(answer, family, cell))
    return [(name, f"{slowdown.among(min(own), max(own))} faster") for name, own in sorted(gains.items())
            if min(own) > FASTER]  # fmt: skip


def _gain(answer: Estimates, family: str, cell: Cell) -> float:
    slow = standing.slow_downs(answer)
    return slow[family] / slow[standing.family(cell.title)]


def reasons(found: Found, shown: Sequence[Standing], name: str) -> list[tuple[str, list[str]]]:
    """Return what makes the difference: a subject and what is known of it, the measured effects last."""
    stated = [(key.replace("_", " "), text) for key in frameworks.DECIDING
              if frameworks.matters(key, name) and (text := _stated(key))]  # fmt: skip
    return [*stated, *_modes(shown), *_compiled(shown), *_effects(found, name)]


def _stated(key: str) -> list[str]:
    """Return what the folders of the environments measured by default state of a difference."""
    folders = [own for _, own in sorted(frameworks.folders().items()) if is_of_today(own)]
    own = {frameworks.framework_title(each): each[0].differs.get(key) for each in folders}
    return [f"{name}: {text}" for name, text in own.items() if text]


def _modes(shown: Sequence[Standing]) -> Iterator[tuple[str, list[str]]]:
    """Yield in which mode each family ran by default, and whether that compiles."""
    known: dict[str, str] = {}
    for cell in (cell for each in shown for answer in each.answers for cell in answer.measured):
        how = "unknown" if cell.compiles is None else "compiled" if cell.compiles else "eager"
        mode = cell.row[1] if cell.row[1].endswith(how) else f"{cell.row[1]} ({how})"
        known.setdefault(standing.family(cell.title), mode)
    if known:
        yield "default mode", ["; ".join(f"{name}: {mode}" for name, mode in known.items())]


def _compiled(shown: Sequence[Standing]) -> Iterator[tuple[str, list[str]]]:
    """Yield what a compiler made of each family's program, where results say so."""
    cells = [cell for each in shown for answer in each.answers for cell in answer.measured]
    made = {standing.family(cell.title): told for cell in cells if (told := sentences.compiled(cell))}
    if made:
        yield "compiler", [f"{name}: {told}" for name, told in made.items()]


def _effects(found: Found, name: str) -> Iterator[tuple[str, list[str]]]:
    """Yield what a compiler, and a change of one thing, did here: significant ratios, the largest first."""
    known = [*_by_mode(found, name), *_by_ablation(found, name)]
    for subject, ratio, told in sorted(known, key=lambda each: -max(each[1].value, 1 / each[1].value))[:MOST]:
        yield subject, [f"{slowdown.times(ratio)}: {told}"]


def _by_mode(found: Found, name: str) -> Iterator[tuple[str, Interval, str]]:
    """Yield the largest significant effect of compiling in each family."""
    names, best = found.names, dict[str, tuple[str, Interval, str]]()
    answers = [answer for answer in found.answers if answer.question.workload == name]
    for each in contrasts.compiling_contrasts(found.results, answers):
        family, ratio = standing.family(each.left.cell.title), each.ratio
        if family not in standing.families() or not is_clear(ratio):
            continue
        slow, quick = (each.left, each.right) if ratio.value > 1 else (each.right, each.left)
        told = f"mode {slow.cell.row[1]} against {quick.cell.row[1]}, {names[each.question.machine]}"
        if family not in best or size(ratio) > size(best[family][1]):
            best[family] = (f"compiling, {family}", ratio, told)
    yield from best.values()


def _by_ablation(found: Found, name: str) -> Iterator[tuple[str, Interval, str]]:
    """Yield the largest significant effect of each ablation of this network."""
    effects = [effect for lesson in found.lessons for effect in lesson.effects]
    own = [each for each in effects if each.question.workload == name and each.question.tier == "ablation"]
    best = largest(filter(is_effect, own), lambda effect: effect.sides)
    for effect in best.values():
        slow, quick = slow_and_quick(effect)
        where = f"{standing.family(effect.environments[0])}, {found.names[effect.question.machine]}"
        yield "ablation", effect.ratio, f"{_lower(slow)} against {_lower(quick)}, {where}"


def largest(effects: Iterable[Effect], sides: Callable[[Effect], tuple[str, str]]) -> dict[tuple[str, str], Effect]:
    """Return the largest of the effects between the same two sides, by these."""
    found: dict[tuple[str, str], Effect] = {}
    for effect in effects:
        key = sides(effect)
        if key not in found or size(effect.ratio) > size(found[key].ratio):
            found[key] = effect
    return found


def is_effect(effect: Effect) -> bool:
    """Say whether an effect is significant: a claim may be false without a difference that is proven."""
    return effect.verdict not in (EQUAL, OPEN) and is_clear(effect.ratio)


def slow_and_quick(effect: Effect) -> tuple[str, str]:
    """Return an effect's sides, the slower first."""
    left, right = effect.sides
    return (left, right) if effect.ratio.value > 1 else (right, left)


def is_clear(ratio: Interval) -> bool:
    """Say whether an interval lies beyond a difference that is called none."""
    low, high = ratio.bounds
    return ratio.low is not None and (low > FASTER or high < 1 / FASTER)


def size(ratio: Interval) -> float:
    """Return how large an effect is, whichever way."""
    return max(ratio.value, 1 / ratio.value)


def _lower(text: str) -> str:
    return text if text[1:2].isupper() else text[0].lower() + text[1:]
