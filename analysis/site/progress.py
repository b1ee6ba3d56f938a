"""Say how far a build is: one line that is rewritten on a terminal, a line now and then elsewhere."""

import sys
import time
from typing import TextIO

USUAL_S = {  # on two cores
    "reading": 2.0, "estimating": 1.0, "judging": 3.0, "comparing": 0.5, "drawing": 0.0, "writing pages": 8.0,
}  # fmt: skip
OFTEN_S, SELDOM_S = 0.1, 30.0  # between two lines: on a terminal, and where each of them stays
CLEAR = "\r\033[K"  # from the line's begin, remove what it says


class Progress:
    """What hears how far a build is, and says it with the time that is left.

    What is left of a part is known by what is done of it. That of others is what they usually take; drawing is counted
    only once it has begun, since most builds draw next to nothing.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        self.is_terminal = self.stream.isatty()
        self.began = self.part_began = self.said = time.monotonic()
        self.part = ""

    def __call__(self, what: str) -> None:
        """Hear which part is at work, and how many of its pieces are done, as in "drawing: 3 of 8"."""
        now = time.monotonic()
        part, _, count = what.partition(": ")
        begins = part != self.part
        if begins:
            self.part, self.part_began = part, now
        if (self.is_terminal and begins) or now - self.said > (OFTEN_S if self.is_terminal else SELDOM_S):
            self.said = now
            left_s = self._own_left_s(now - self.part_began, count) + self._later_s()
            self._say(
                f"building pages: {f'{part} {count}'.strip()}, {now - self.began:.0f} s, about {left_s:.0f} s left"
            )

    def end(self) -> None:
        """Remove the line from a terminal: what was done is said in its place."""
        if self.is_terminal:
            self._write(CLEAR)

    def _say(self, line: str) -> None:
        self._write(f"{CLEAR}{line}" if self.is_terminal else f"{line}\n")

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()

    def _own_left_s(self, spent_s: float, count: str) -> float:
        """Return what is left of the part at work, by what is done of it, else by what it usually takes."""
        done, _, of = count.partition(" of ")
        if count and int(done):
            return spent_s / int(done) * (int(of) - int(done))
        return max(0.0, USUAL_S[self.part] - spent_s)

    def _later_s(self) -> float:
        parts = list(USUAL_S)
        return sum(USUAL_S[name] for name in parts[parts.index(self.part) + 1 :])
