"""Text for a terminal: sizes and durations with the unit that suits them, aligned columns, printable characters."""

from typing import List, Optional, Sequence


def size(count: float) -> str:
    """Write a number of bytes with the unit that suits it, in powers of ten as sources state them."""
    for factor, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= factor:
            return "%.3g %s" % (count / factor, unit)
    return "%d bytes" % count


def step_time(seconds: float) -> str:
    """Write the time of a step or an epoch with the unit that suits it."""
    for limit, factor, unit in ((1e-3, 1e6, "us"), (1.0, 1e3, "ms")):
        if seconds < limit * 0.9995:  # what rounds to a thousand is one of the next unit
            return "%.3g %s" % (seconds * factor, unit)
    return "%.3g s" % seconds


def duration(seconds: float) -> str:
    """Write seconds as a clock does."""
    minutes, rest = divmod(int(seconds + 0.5), 60)
    hours, minutes = divmod(minutes, 60)
    return "%d:%02d:%02d" % (hours, minutes, rest) if hours else "%d:%02d" % (minutes, rest)


def printable(text: str) -> str:
    """Return a line of text from any author without characters that control a terminal."""
    return "".join(character if character.isprintable() else "?" for character in text)


def aligned(rows: Sequence[Sequence[str]], left: Optional[int] = None) -> List[str]:
    """Return rows as lines with aligned columns, the first `left` of them (None: all) aligned left."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    pads = [str.ljust if left is None or column < left else str.rjust for column in range(len(widths))]
    return ["  ".join(pad(cell, width) for pad, cell, width in zip(pads, row, widths)).rstrip() for row in rows]
