"""Numbers as words: units, digits and lists, the same in the terminal, on pages and in figures."""

import functools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from analysis.plugins import explained, title
from analysis.stats.interval import Interval
from bench import registry

NONE = "\u2013"  # a dash
MOST_DAYS = 3  # in a sentence
LEFT = 3  # columns that are aligned left; numbers are aligned right
REASON_LENGTH = 200
MANY = 2**10  # titles that are remembered: results may name any workload


class Unit(NamedTuple):
    """A unit and how many base units it holds; where so many decimals are wanted, whatever the size, how many."""

    name: str
    size: float
    decimals: int | None = None

    def __call__(self, value: float | None) -> str:
        """Return a value of base units as a number of this unit, without its name."""
        if value is None:
            return NONE
        return digits(value / self.size) if self.decimals is None else f"{value / self.size:.{self.decimals}f}"


SECONDS = (Unit("s", 1.0), Unit("ms", 1e-3), Unit("µs", 1e-6))
BYTES = (Unit("GiB", 2.0**30), Unit("MiB", 2.0**20))
RATIO, FINE = Unit("", 1.0, 2), Unit("", 1.0, 3)  # the latter beside the margins of claims, 1 % and 2 %


@functools.lru_cache(maxsize=MANY)
def workload_title(name: str) -> str:
    """Return what people search a network by: its file's first line; its name where it has no file."""
    return title(registry.workload(name).__doc__) if registry.has_workload(name) else name


def workload_about(name: str) -> str:
    """Return what a known workload is: its file's docstring without the title."""
    return explained(registry.workload(name).__doc__)


def common(values: Iterable[float | None], units: tuple[Unit, ...]) -> Unit:
    """Return the unit for a column: the largest of which its smallest value is at least a tenth."""
    smallest = min((value for value in values if value), default=units[0].size)
    return next((unit for unit in units if smallest >= unit.size / 10), units[-1])


def digits(value: float) -> str:
    """Return a number with three significant digits, and never an exponent."""
    if value == 0:
        return "0"
    places = 0
    while places < 6 and abs(value) * 10**places < 99.95:
        places += 1
    return f"{value:,.{min(places, 3)}f}" if abs(value) >= 0.1 else f"{value:.{places}f}"


def whole(value: float) -> str:
    """Return a number of things per second: whole from 100 on."""
    return f"{value:,.0f}" if value >= 99.95 else digits(value)


def seconds(value: float | None) -> str:
    """Return one duration with its unit."""
    return with_unit(value, common([value], SECONDS))


def with_unit(value: float | None, unit: Unit) -> str:
    """Return a value of base units with its unit."""
    return NONE if value is None else f"{unit(value)} {unit.name}"


def between(interval: Interval | None, unit: Unit) -> str:
    """Return an interval's bounds in `unit`, or why there are none."""
    if interval is None:
        return NONE
    if interval.low is None:
        return str(interval.reason)
    return f"{unit(interval.low)} to {unit(interval.high)}"


def factor(value: float) -> str:
    """Return a ratio with two decimals, since differences below 1 % are not claimed; of a large one, none."""
    return f"{value:.2f}" if value < 100 else f"{value:,.0f}"


def share(value: float | None) -> str:
    """Return a share of 1 in percent, or that it is not known."""
    return "unknown" if value is None else f"{digits(100 * value)} %"


def away(ratio: float) -> str:
    """Return how far a ratio is from 1: 31 % for 1.31 and for 0.69, a factor of 3.10 for 3.1."""
    return f"a factor of {digits(ratio)}" if ratio >= 2 else f"{100 * abs(ratio - 1):.0f} %"


def count(number: int, noun: str) -> str:
    """Return a number with its noun: 1 round, 2 rounds."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def days(known: Sequence[str]) -> str:
    """Return days in a row: each of up to three, of more the first, the last and how many."""
    return listing(known) if len(known) <= MOST_DAYS else f"on {len(known)} days, {known[0]} to {known[-1]}"


def listing(items: Iterable[str], last: str = "and") -> str:
    """Return "a", "a and b", or "a, b and c"."""
    parts = list(items)
    return parts[-1] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}" if parts else ""


def width(value: float | None) -> str:
    """Return a relative half-width: ±0.41 %."""
    return NONE if value is None else f"\u00b1{100 * value:.2g} %" if value < 0.1 else f"\u00b1{100 * value:,.0f} %"


def ratio_cells(ratio: Interval | None) -> tuple[str, str, str]:
    """Return a ratio, its interval and its rounds as three cells."""
    return (factor(ratio.value), between(ratio, RATIO), str(ratio.rounds)) if ratio else (NONE,) * 3


def plain(text: str, length: int = REASON_LENGTH) -> str:
    """Return text of a result file as one printable line: no escape sequence reaches the terminal."""
    line = "".join(character for character in " ".join(text.split()) if character.isprintable())
    return line if len(line) <= length else line[: length - 3] + "..."
