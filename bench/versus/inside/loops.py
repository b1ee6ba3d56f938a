"""Time the loop of a script as it is: its syntax tree is changed in one place, and the script runs as it always does.

The script runs in the main thread. The timing loop (bench/measure.py) runs in a second thread and hands over once per
block, not once per step.
"""

import ast
import builtins
import inspect
import math
import os
import queue
import sys
import threading
import time
import types
from typing import Any, Callable, List, Tuple

from bench.measure import Clock
from bench.versus.inside.program import Program, ProgramError, number

MARK = "steps"  # a script or its modules mark a loop themselves: for batch in steps(loader)
STEPS, FIT = "_versus_steps", "_versus_fit"  # names in the changed script


class LoopProgram(Program):
    """A script whose own loop makes the steps; `loop` lets it make some, and reads the clock around them."""

    def __init__(self, name: str, waits: Any) -> None:
        super().__init__(types.ModuleType("__main__"), lambda: None, waits)
        self.name = name
        self.orders, self.done = queue.Queue(), queue.Queue()  # type: Any, Any
        self.left, self.clock = 0, Clock()
        self.context: Any = None
        self.is_paused = True

    def loop(self, _batch: Any, steps: int, clock: Clock) -> float:
        """Let the script make steps; the clock runs from the first one's batch to the end of the last one's work."""
        self._order(steps, clock)
        return math.nan

    def _order(self, steps: int, clock: Clock, context: Any = None) -> None:
        self.orders.put((steps, clock, context))
        error = self.done.get()
        if error:
            raise error

    def run(self, steps: int, context: Any = None) -> List[Any]:
        """Let the script make some steps, within a context that its own thread enters; return their losses."""
        losses = []
        for _ in range(1 if context else steps):
            self._order(steps if context else 1, Clock(), context)
            losses.append(self.loss)
        return losses

    def steps(self, iterable: Any) -> Any:
        """Yield the batches of a loop; after each body, count a step. At its end the loop begins again.

        `iterable` may be a function that returns it, so that `enumerate(loader)` begins again as well.
        """
        passes = 0
        self._resume()
        try:
            while True:
                batches = 0
                for batch in iterable() if callable(iterable) and not hasattr(iterable, "__iter__") else iterable:
                    yield batch
                    batches += 1
                    self._count(sys._getframe(1))  # noqa: SLF001 - the loop's own names, for its loss
                passes += 1
                if not batches:
                    break
            if passes == 1:
                raise ProgramError("The loop over %s has no batches." % self.name)
        except GeneratorExit:  # the script left the loop by break or return
            self._count(sys._getframe(1))  # noqa: SLF001
            raise
        finally:
            self._pause()

    def fit(self, method: Callable[..., Any]) -> Callable[..., Any]:
        """Return a training function that counts epochs as steps."""
        self.unit = "epoch"
        makers = [own for own in self.waits.imported() if hasattr(own, "fit")]
        if not makers:
            raise ProgramError("%s belongs to no framework whose training loop is known here." % self.name)

        def count() -> None:
            self._count(None)
            self._pause()

        def timed(*arguments: Any, **keywords: Any) -> Any:
            self._resume()
            given = _by_name(method, arguments, keywords)
            return method(**makers[0].fit(given, self._resume, count, self._pause, self._resume))

        return timed

    def _resume(self) -> None:
        if not self.is_paused:
            return
        self.is_paused = False
        if not self.left:
            self._take_order()
        else:
            self.clock.wall_s -= time.perf_counter()
            self.clock.cpu_s -= time.process_time()

    def _pause(self) -> None:
        if not self.is_paused and self.left:
            self.waits()
            self.clock.end()
        self.is_paused = True

    def _take_order(self) -> None:
        self.left, self.clock, self.context = self.orders.get()
        if self.context:
            self.context.__enter__()
        self.clock.begin()

    def _count(self, frame: Any) -> None:
        """Count a step; after the last one of a block, wait, hand over, and sleep until the next block."""
        self.steps_made += 1
        self.left -= 1
        if self.left:
            return
        self.waits()
        self.clock.end()
        if self.context:
            self.context.__exit__(None, None, None)
        self.note(number(frame.f_locals.get("loss")) if frame else None)
        self.done.put(None)
        self._take_order()


def _by_name(method: Callable[..., Any], arguments: Any, keywords: Any) -> Any:
    """Return all arguments of a call by their names, since `epochs` may be given by its place."""
    bound = inspect.signature(method).bind_partial(*arguments, **keywords).arguments
    return dict(bound, **bound.pop("kwargs", {}))


def run(path: str, name: str, arguments: List[str], waits: Any, serve: Callable[[Any], None]) -> None:
    """Run a script as `python path arguments` does, and let `serve(program)` time its loop in a second thread."""
    program = LoopProgram(name, waits)
    sys.argv = [path] + arguments
    sys.path.insert(0, os.path.dirname(path))
    threading.Thread(target=serve, args=(program,), daemon=True).start()
    module = program.module
    module.__dict__.update({"__file__": path, STEPS: program.steps, FIT: program.fit})
    builtins.steps = program.steps  # modules that the script imports find it
    sys.modules["__main__"] = module
    try:
        exec(compile(_rewritten(path, name), path, "exec"), module.__dict__)  # noqa: S102 - that is the task
        error = ProgramError(
            "the script ended after %d steps of the loop over %s, and a comparison needs more. Let it make more "
            "steps, for example by more epochs (--arguments)." % (program.steps_made, name)
        )  # type: BaseException
    except BaseException as raised:  # noqa: BLE001 - `serve` reports it
        error = raised
    program.done.put(error)
    threading.Event().wait()  # `serve` ends the process


def _rewritten(path: str, name: str) -> ast.Module:
    """Return the syntax tree of a script in which the loop over `name` asks `steps` for its batches."""
    with open(path, "rb") as file:
        tree = ast.parse(file.read(), path)
    if name == MARK:
        return tree
    name, _, line = name.partition(":")
    loops = [node for node in ast.walk(tree) if _is_loop(node, name) and line in ("", str(node.lineno))]
    if len(loops) != 1:
        raise ProgramError(_not_one(tree, name, loops))
    node = loops[0]
    if isinstance(node, ast.Call):
        node.func = _call(FIT, node.func)
    else:
        nothing = ast.parse("lambda: 0", mode="eval").body
        nothing.body = node.iter
        node.iter = _call(STEPS, ast.copy_location(nothing, node.iter))
    return ast.fix_missing_locations(tree)


def _call(name: str, argument: Any) -> ast.Call:
    return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), [argument], []), argument)


def _is_loop(node: Any, name: str) -> bool:
    """Say whether a node loops over `name`, or calls the training function of this name."""
    if isinstance(node, ast.For):
        return any(_dotted(inner) == name for inner in ast.walk(node.iter))
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _dotted(node.func) == name


def _dotted(node: Any) -> str:
    if isinstance(node, ast.Attribute):
        return "%s.%s" % (_dotted(node.value), node.attr)
    return node.id if isinstance(node, ast.Name) else ""


def _not_one(tree: ast.Module, name: str, loops: List[Any]) -> str:
    if loops:
        lines = ", ".join(str(node.lineno) for node in loops)
        return "%d loops over %s were found, in lines %s. Name one: --loop %s:%d." % (
            len(loops), name, lines, name, loops[0].lineno)  # fmt: skip
    found = sorted({word for node in ast.walk(tree) if isinstance(node, ast.For) for word in _names(node.iter)})
    return (
        "there is no loop over %s. The script's loops are over: %s. Mark a loop of an imported module there, by "
        "`for batch in steps(loader)`, and give --loop steps." % (name, ", ".join(found) or "nothing")
    )


def _names(node: Any) -> Tuple[str, ...]:
    return tuple(filter(None, (_dotted(inner) for inner in ast.walk(node))))
