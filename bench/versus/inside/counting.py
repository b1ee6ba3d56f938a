"""Count what a program calls during steps, and find live objects: shared by the frameworks' own_programs.py."""

import contextlib
import functools
import gc
import sys
import time
from typing import Any, Callable, Dict, Iterable, List, Sequence, Tuple

PROJECT = ("bench.",)  # whose calls are not the program's


class Calls:
    """How often watched functions were called, and for how many seconds. Of nested calls, the outermost counts."""

    def __init__(self, ignored: Sequence[str] = ()) -> None:
        """Count no calls from modules whose names begin with one of `ignored`, or from this project."""
        self.ignored = tuple(ignored) + PROJECT
        self.count = 0
        self.seconds = 0.0
        self._is_inside = False
        self._patched: List[Tuple[Any, str, Any]] = []

    def watch(self, owner: Any, names: Iterable[str]) -> None:
        """Watch methods or properties of a class, or functions of a module, as far as they exist."""
        for name in names:
            if hasattr(owner, name):
                usual = vars(owner).get(name)
                function = getattr(owner, name)
                is_property = isinstance(function, property)
                watched = self._counted(function.fget if is_property else function)
                setattr(owner, name, property(watched) if is_property else watched)
                self._patched.append((owner, name, usual))

    def _counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def counted(*arguments: Any, **keywords: Any) -> Any:
            caller = sys._getframe(1).f_globals.get("__name__", "")  # noqa: SLF001 - the only way to know the caller
            if self._is_inside or caller.startswith(self.ignored):
                return function(*arguments, **keywords)
            self._is_inside, begin = True, time.perf_counter()
            try:
                return function(*arguments, **keywords)
            finally:
                self._is_inside = False
                self.count += 1
                self.seconds += time.perf_counter() - begin

        return counted

    def stop(self) -> None:
        """Put the usual functions back."""
        for owner, name, usual in reversed(self._patched):
            if usual is None:
                delattr(owner, name)  # it was inherited
            else:
                setattr(owner, name, usual)
        self._patched = []


@contextlib.contextmanager
def together(contexts: Sequence[Any]) -> Any:
    """Enter several context managers as one."""
    with contextlib.ExitStack() as stack:
        for context in contexts:
            stack.enter_context(context)
        yield


def live(kind: type) -> List[Any]:
    """Return the living objects of a class and its subclasses; no object's own code runs."""
    return [found for found in gc.get_objects() if kind in type(found).__mro__]


def gather(program: Any, readers: Iterable[Callable[[Any], Dict[str, Any]]]) -> Dict[str, Any]:
    """Return the facts of all readers. What a reader cannot read is unknown, and must not hide what others know."""
    found: Dict[str, Any] = {}
    for reader in readers:
        try:
            found.update(reader(program))
        except Exception:  # noqa: BLE001, S112 - a missing fact is no cause
            continue
    return found


def tally(names: Iterable[str]) -> Dict[str, int]:
    """Return {name: how often it occurs}."""
    counts: Dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return counts


def slowest(seconds: Dict[str, float], steps: int, most: int = 5) -> List[List[Any]]:
    """Return [operation, seconds per step, share of all operations' time] of the operations that took longest."""
    whole = sum(seconds.values()) or 1.0
    order = sorted(seconds, key=lambda name: -seconds[name])[:most]
    return [[name, seconds[name] / steps, seconds[name] / whole] for name in order]


def rounded(settings: Dict[str, Any]) -> Dict[str, Any]:
    """Return settings with numbers of six digits, because frameworks keep them as float32; None is left out."""
    return {
        name: float("%.6g" % value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value
        for name, value in settings.items()
        if value is not None
    }
