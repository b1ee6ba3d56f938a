"""Why a network's times differ: the slowest environment with its cause and remedy, compilers, modes and ablations."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeVar

from analysis.estimate import contrasts, standing
from analysis.estimate.cells import Cell
from analysis.estimate.contrasts import Contrast
from analysis.estimate.estimates import Estimates
from analysis.estimate.standing import Standing
from analysis.found import Found
from analysis.groups import collected, grouped
from analysis.lessons.claim_test import EQUAL, OPEN, Effect
from analysis.site.pages import devices
from analysis.stats.interval import FASTER, Interval
from analysis.text import frameworks, html, sentences
from analysis.units import count, listing
from bench import registry

LAYERS = "recurrent_layers"  # what a folder states of them is a cause; other differences only may be
Compared = TypeVar("Compared", Effect, Contrast)
MOST = 2  # measured effects that a page names


def brief(shown: Sequence[Standing], name: str) -> list[str]:
    """Return the fastest and the slowest family, the cause, and the remedy."""
    answers = [answer for on_machine in shown for answer in on_machine.answers if len(answer.measured) > 1]
    if not answers:
        return []
    counts = listing(f"{family} ({number})" for family, number in standing.leading(answers).items())
    fastest = f"Fastest or tied, of {count(len(answers), 'table')}: {counts}."
    return [fastest if counts else "Too few rounds for a ranking.", *_slowest(answers, name)]


def _slowest(answers: Sequence[Estimates], name: str) -> list[str]:
    """Return the family that is most often significantly slower than all others, the cause, and the remedy."""
    behind = collected((standing.family(cell.title), (answer, cell)) for answer in answers for cell in answer.measured
                       if sentences.slower_than(answer, cell) == len(answer.measured) - 1)  # fmt: skip
    if not behind:
        return []
    family = max(behind, key=lambda name: len(behind[name]))  # of two as often, that on a GPU
    slow = [answer for answer, _ in behind[family]]
    factors = [standing.slow_downs(answer)[family] for answer in slow]
    where = count(len({answer.question.machine for answer in slow}), "machine")
    text = f"Slowest: {family}, {sentences.among(min(factors), max(factors))} slower than the fastest on {where}."
    environment = behind[family][0][1].row[0]
    return [text, *map(sentence, causes(environment, name)), *_remedy(slow, family, environment)]


def causes(environment: str, name: str) -> list[str]:
    """Return the cause that an environment's folder states for slow recurrent layers, if the network has some."""
    environments = registry.environments()
    text = environments[environment].differs.get(LAYERS, "") if environment in environments else ""
    if not (text and frameworks.matters(LAYERS, name)):
        return []
    named = {other.backend for other in environments.values() if other.backend in text}
    is_meant = not named or environments[environment].backend in named
    return [f"{LAYERS.replace('_', ' ')}: {text}"] if is_meant else []


def sentence(text: str) -> str:
    """Return a clause as a sentence."""
    return f"{text[0].upper()}{text[1:]}."


def _remedy(answers: Sequence[Estimates], family: str, environment: str) -> list[str]:
    """Return by how much the same code on another backend is faster, and the same backend without the layer above."""
    environments, gains = registry.environments(), dict[tuple[str, bool, bool], list[float]]()
    slow = environments.get(environment)
    for answer in answers:
        factors = standing.slow_downs(answer)
        for cell in answer.measured:
            if slow and (other := environments.get(cell.row[0])):
                name = standing.family(cell.title)
                key = name, other.backend == slow.backend, other.folder == slow.folder
                gains.setdefault(key, []).append(factors[family] / factors[name])
    faster = {key: f"{sentences.among(min(ratios), max(ratios))} faster" for key, ratios in sorted(gains.items())
              if min(ratios) > FASTER}  # fmt: skip
    moved = [f"{name} ({gain})" for (name, *same), gain in faster.items() if same == [False, True]]
    below = [f"{name} itself is {gain}" for (name, *same), gain in faster.items() if same == [True, False]]
    parts = [f"Remedy: run the same code on {listing(moved, 'or')}."] if moved else []
    parts += [f"{listing(below)}."] if below else []
    return [" ".join(parts)] if parts else []


def reasons(found: Found, shown: Sequence[Standing], name: str, root: str) -> list[tuple[str, list[str]]]:
    """Return the reasons for different times: a subject and its texts, the measured effects last.

    `root` leads from the page to the top of the site.
    """
    today = list(filter(frameworks.is_of_today, frameworks.by_framework().values()))
    subjects = [(key.replace("_", " "), [f"{frameworks.framework_title(own)}: {own[0].differs[key]}"
                                         for own in today if own[0].differs.get(key)])
                for key in frameworks.DECIDING if frameworks.matters(key, name)]  # fmt: skip
    cells = [cell for on_machine in shown for answer in on_machine.answers for cell in answer.measured]
    families = grouped(cells, lambda cell: standing.family(cell.title))
    compiled = {standing.family(cell.title): text for cell in cells if (text := sentences.compiled(cell))}
    subjects.append(("default mode", ["; ".join(f"{family}: {_mode(own[0])}" for family, own in families.items())]))
    subjects.append(("compiler", [f"{family}: {text}" for family, text in compiled.items()]))
    subjects.append(("data parallelism", _by_devices(found, name, root)))
    effects = sorted([*_by_mode(found, name), *_by_ablation(found, name)], key=lambda effect: -size(effect[1]))
    subjects += [(subject, [f"{sentences.significant(ratio)}: {text}"]) for subject, ratio, text in effects[:MOST]]
    return [(subject, texts) for subject, texts in subjects if any(texts)]


def _by_devices(found: Found, name: str, root: str) -> list[str]:
    """Return how many frameworks were measured on several devices, with a link to their scaling efficiency."""
    measured = {each.cell.row[0] for each in devices.efficiencies(found) if each.question.workload == name}
    page = html.link(f"{root}devices/", "several devices")
    return [html.join([f"scaling efficiency of {count(len(measured), 'environment')}: ", page])] if measured else []


def _mode(cell: Cell) -> str:
    """Return the mode of a cell, and whether it compiles."""
    how = "unknown" if cell.compiles is None else "compiled" if cell.compiles else "eager"
    return cell.row[1] if cell.row[1].endswith(how) else f"{cell.row[1]} ({how})"


def _by_mode(found: Found, name: str) -> Iterator[tuple[str, Interval, str]]:
    """Yield the largest significant effect of compiling in each family."""
    families = standing.families()
    answers = [answer for answer in found.answers if answer.question.workload == name]
    clear = (contrast for contrast in contrasts.compiling_contrasts(found.results, answers)
             if standing.family(contrast.left.cell.title) in families and is_clear(contrast.ratio))  # fmt: skip
    for contrast in largest(clear, lambda contrast: standing.family(contrast.left.cell.title)):
        modes = [side.cell.row[1] for side in (contrast.left, contrast.right)]
        slow, quick = modes[:: 1 if contrast.ratio.value > 1 else -1]
        text = f"mode {slow} against {quick}, {found.names[contrast.question.machine]}"
        yield f"compiling, {standing.family(contrast.left.cell.title)}", contrast.ratio, text


def _by_ablation(found: Found, name: str) -> Iterator[tuple[str, Interval, str]]:
    """Yield the largest significant effect of each ablation of this network."""
    effects = [effect for lesson in found.lessons for effect in lesson.effects if is_effect(effect)
               and effect.question.workload == name and effect.question.tier == "ablation"]  # fmt: skip
    for effect in largest(effects, lambda effect: effect.sides):
        slow, quick = (text if text[1:2].isupper() else text[0].lower() + text[1:] for text in slow_and_quick(effect))
        where = f"{standing.family(effect.environments[0])}, {found.names[effect.question.machine]}"
        yield "ablation", effect.ratio, f"{slow} against {quick}, {where}"


def largest(effects: Iterable[Compared], key: Callable[[Compared], Hashable]) -> list[Compared]:
    """Return the largest of the effects with the same key, the largest of all first."""
    best = {key(effect): effect for effect in sorted(effects, key=lambda effect: size(effect.ratio))}
    return sorted(best.values(), key=lambda effect: -size(effect.ratio))


def is_effect(effect: Effect) -> bool:
    """Return whether an effect is significant. A claim may be false without a significant difference."""
    return effect.verdict not in (EQUAL, OPEN) and is_clear(effect.ratio)


def slow_and_quick(effect: Effect) -> tuple[str, str]:
    """Return an effect's sides, the slower first."""
    left, right = effect.sides
    return (left, right) if effect.ratio.value > 1 else (right, left)


def is_clear(ratio: Interval) -> bool:
    """Return whether an interval lies beyond the difference that counts as none."""
    low, high = ratio.bounds
    return ratio.low is not None and (low > FASTER or high < 1 / FASTER)


def size(ratio: Interval) -> float:
    """Return the factor of an effect, at least 1."""
    return max(ratio.value, 1 / ratio.value)
