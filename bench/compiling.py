"""Report what a compiler made of a step: what happened in this process, not what a mode asked for.

An adapter whose modes compile has `what_compiled(program)`, which returns a few words such as "the whole step, by XLA",
or NOTHING. It counts what the framework traced or loaded for the step; an executable from a warm cache counts as
compiled. It is outside Program, so an edit of it voids no parity answer.
"""

from typing import Any, Iterable, Iterator, Optional

from bench import ablations, registry

NOTHING = "nothing"  # was compiled, though the mode asks a compiler
NOTE = "nothing_compiled"  # beside the sentences of a contract, of which it breaks none
FOLLOWED = ("__func__", "__wrapped__", "func", "jitted_fn")  # what a method, decorator, partial or nnx.jit calls


def made(adapter: Any, environment: registry.Environment, mode: str, program: Any) -> Optional[str]:
    """Return what a compiler made of a program that has stepped; None if the mode asks no compiler and none ran."""
    found: Optional[str] = adapter.what_compiled(program) if hasattr(adapter, "what_compiled") else None
    return found or (NOTHING if asks(environment, mode) else None)


def asks(environment: registry.Environment, mode: str) -> bool:
    """Say whether a mode asks a compiler."""
    base = ablations.split(mode)[0]
    return any(each.compiles for each in environment.modes if each.name == base)


def reachable(function: Any) -> Iterator[Any]:
    """Yield a function, and every function that it calls through its closure, as a method or as a decorator."""
    waiting, seen = [function], set()
    while waiting:
        this = waiting.pop()
        if not callable(this) or isinstance(this, type) or id(this) in seen:
            continue
        seen.add(id(this))
        yield this
        cells = getattr(this, "__closure__", None) or ()
        waiting.extend(cell.cell_contents for cell in cells)
        waiting.extend(getattr(this, name) for name in FOLLOWED if hasattr(this, name))


def in_words(what: str, count: int) -> str:
    """Return what was compiled, and how often if more than once; NOTHING if the count is 0."""
    return NOTHING if not count else what if count == 1 else "%s, %d times" % (what, count)


def held(what: str, functions: Iterable[Any], counter: str) -> str:
    """Return what was compiled, by the executables that reachable functions hold: `counter` is what tells how many."""
    found = [each for function in functions for each in reachable(function) if hasattr(each, counter)]
    return in_words(what, sum(getattr(each, counter)() for each in found))
