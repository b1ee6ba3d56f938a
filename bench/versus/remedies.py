"""Try the remedies that are a single variable: measure a program with and without it, and state what it saves."""

import statistics
from collections.abc import Iterator

from bench.versus import measuring, verdict
from bench.versus.choosing import VersusError
from bench.versus.comparison import Document

BUDGET_SHARE = 0.5  # of the comparison's budget, for each remedy


def try_remedies(found: Document, setup: measuring.Setup) -> None:
    """Measure each cause's program again beside itself with the remedy; add `tried` and `cost_s` to the finding."""
    known: dict[tuple[str, str, str], Document] = {}  # programs may have two causes with one remedy
    for letter, finding in _switches(found):
        name, value = finding["switch"]
        if (letter, name, value) not in known:
            known[letter, name, value] = _tried(letter, name, value, setup)
        finding["tried"] = tried = known[letter, name, value]
        if tried.get("word") == "different":
            finding["cost_s"] = tried["without_s"] - tried["with_s"]


def _switches(found: Document) -> Iterator[tuple[str, Document]]:
    for pair in found["pairs"]:
        for cause in pair["causes"]:
            if cause["finding"]["switch"] and cause["side"]:
                yield cause["side"], cause["finding"]


def _tried(letter: str, name: str, value: str, setup: measuring.Setup) -> Document:
    """Return a program's times with and without a variable and their ratio, or why the variable cannot be tried."""
    choice = next(choice for choice in setup.choices if choice.letter == letter)
    changed = choice._replace(settings={**choice.settings, name: value})
    setup.say(f"Trying {name}={value} for {choice.name}: `a` is without it, `b` with it.")
    pair = [choice._replace(letter="a"), changed._replace(letter="b")]
    try:
        measured = measuring.measure(setup._replace(choices=pair, looks=False, budget_s=BUDGET_SHARE * setup.budget_s))
    except VersusError as error:
        return {"setting": f"{name}={value}", "reason": str(error).splitlines()[0]}
    without_s, with_s = (
        statistics.median(verdict.step_s(replies[place]) for replies in measured.rounds) for place in (0, 1)
    )
    ratio = verdict.ratio(measured.rounds, 0, 1)
    return {"setting": f"{name}={value}", "without_s": without_s, "with_s": with_s, **ratio._asdict()}
