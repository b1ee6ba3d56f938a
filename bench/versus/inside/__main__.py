"""Serve one request about a user's program: read it from a file, write the reply to a file.

`python PATH/bench/versus/inside request.json` runs with the user's interpreter, working directory and variables. What
the program prints goes to the error stream. Requests: `measure` (turns, as bench/worker/run.py takes them), `look`
(facts, never timed) and `twin` (outputs and weights again, in a second process of the same program).
"""

import json
import os
import platform
import sys
import threading
import traceback
from typing import Any, Dict

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path[0] = ROOT  # instead of this folder; the program's own folder takes this place later

from bench import machine, measure, replies  # noqa: E402 - found in ROOT
from bench.errors import BenchError  # noqa: E402
from bench.versus.inside import arrays, facts, loops, program  # noqa: E402

OUT_OF_MEMORY = ("OutOfMemory", "ResourceExhausted", "RESOURCE_EXHAUSTED", "MemoryError")
KNOWN = facts.every()
del sys.path[0]
for _name in [name for name in sys.modules if name.split(".")[0] == "bench"]:
    del sys.modules[_name]  # a program may have a module of this name


class _Turns:
    """The turns of a run, one per line of input, and the resident memory after each."""

    def __init__(self, lines: Any) -> None:
        self.lines, self.resident = lines, []

    def __iter__(self) -> Any:
        replies.say(replies.READY)
        for _ in self.lines:
            yield 0.0
            self.resident.append(machine.resident_bytes(os.getpid())[0])
            replies.say(replies.DONE)


def take_measurements(loaded: Any, request: Dict[str, Any]) -> Dict[str, Any]:
    """Time a program in turns; return the timings, the memory, and how the end of the steps was awaited."""
    turns = _Turns(request["lines"])
    timings = measure.measure(loaded, loaded.placed, request["block_s"], "cpu", turns)
    return dict(
        timings._asdict(),
        loss_first=None, loss_last=None,  # of any type; `losses` has those of the first steps
        losses=loaded.losses, unit=loaded.unit, waits=loaded.waited, resident_bytes=turns.resident,
        peak_bytes=machine.peak_memory_bytes(), peak_device_bytes=loaded.waits.peak_bytes() or None,
        threads=_threads(), examples_per_step=loaded.examples_per_step,
        python=platform.python_version(), has_arrays=bool(loaded.outputs or loaded.weights),
    )  # fmt: skip


def look(loaded: Any, _request: Dict[str, Any]) -> Dict[str, Any]:
    """Return facts about a program, and its outputs and weights before and after some steps."""
    before = arrays.of(loaded)
    after: Dict[str, Any] = {}
    found = facts.collect(loaded, lambda: after.update(arrays.of(loaded)))
    return dict(found, before=before, after=after)


def look_at_twin(loaded: Any, _request: Dict[str, Any]) -> Dict[str, Any]:
    """Return a program's outputs and weights before and after the same steps, from a second process."""
    before = arrays.of(loaded)
    loaded.run(facts.FIRST_STEPS + facts.LOOKED_STEPS)
    return {"before": before, "after": arrays.of(loaded)}


REQUESTS = {"measure": take_measurements, "look": look, "twin": look_at_twin}


def _threads() -> int:
    folder = "/proc/self/task"
    return len(os.listdir(folder)) if os.path.isdir(folder) else threading.active_count()


def _failure(error: BaseException, request: Dict[str, Any], steps_made: int) -> Dict[str, Any]:
    """Return what went wrong, where in the user's file, and the module that is missing."""
    text = "%s: %s" % (type(error).__name__, error)
    status = "out_of_memory" if any(word in text for word in OUT_OF_MEMORY) else "failed"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame[0] == request["path"]]
    where = " (line %d: %s)" % (frames[-1][1], frames[-1][3]) if frames else ""
    when = "step %d" % steps_made if steps_made else "loading the script"
    reason = str(error) if isinstance(error, BenchError) else "%s: %s%s" % (when, text.splitlines()[0][:300], where)
    tail = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    if isinstance(error, SystemExit):
        reason = "%s: the script ended itself (%s)%s" % (when, error.code, where)
        with open(os.path.join(os.path.dirname(request["reply"]), "output.txt"), errors="replace") as file:
            tail = file.read()  # where argparse says what it expected
    missing = error.name if isinstance(error, ImportError) and error.name else None
    return {
        "status": status, "reason": replies.without_paths(reason),
        "error_tail": None if isinstance(error, BenchError) else replies.without_paths(tail)[-replies.TAIL:],
        "missing": missing, "steps_made": steps_made, "has_ended": isinstance(error, SystemExit),
    }  # fmt: skip


def _serve(loaded: Any, request: Dict[str, Any]) -> None:
    """Serve a request on a loaded program, write the reply, and end the process."""
    try:
        _check_settings(request)
        reply = dict(REQUESTS[request["kind"]](loaded, request), status="ok", reason=None, error_tail=None)
    except BaseException as error:  # noqa: BLE001 - whatever a program raises becomes the reason
        reply = _failure(error, request, loaded.steps_made)
    _end(reply, request)


def _check_settings(request: Dict[str, Any]) -> None:
    for name, value in request["settings"].items():
        if os.environ.get(name) != value:
            raise program.ProgramError(
                "the script sets %s to %r itself, so %s=%s has no effect. Remove that line from the script, or write "
                "os.environ.setdefault." % (name, os.environ.get(name), name, value)
            )


def _end(reply: Dict[str, Any], request: Dict[str, Any]) -> None:
    about = {name: reply.pop(name) for name in ("status", "reason", "error_tail")}
    replies.write(request["reply"], dict(about, measured=reply))
    replies.leave()


def main(path: str) -> None:
    """Load the program of a request and serve it: in this thread, or in a second one beside the script's own loop."""
    replies.end_with_parent()
    replies.keep_output_for_words()
    with open(path, encoding="utf-8") as file:
        asked = json.load(file)
    request = dict(asked["work"], kind=asked["kind"], reply=asked["reply"])
    request["lines"] = os.fdopen(os.dup(0), "rb")  # a program that reads its input must not take the turns
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    request["known"] = KNOWN
    if request["kind"] == "look":
        facts.prepare(request["known"], os.path.dirname(request["reply"]))
    waits = facts.Waits(request["known"])
    if request["loop"]:
        loops.run(request["path"], request["loop"], request["arguments"], waits, lambda loaded: _serve(loaded, request))
        return
    try:
        loaded = program.load(request["path"], request["arguments"], waits)
    except BaseException as error:  # noqa: BLE001
        _end(_failure(error, request, 0), request)
    _serve(loaded, request)


if __name__ == "__main__":
    main(sys.argv[1])
