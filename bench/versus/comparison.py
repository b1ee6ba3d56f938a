"""Put a comparison together: programs, ratios, whether the work was the same, causes. All reports are made of this."""

import getpass
import os
import re
import socket
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from bench import machine, measure
from bench.driver.variables import THREADS
from bench.replies import without_paths
from bench.versus import causes, verdict, work
from bench.versus.choosing import Choice
from bench.versus.measuring import Measured, sharing

GROWTH_SHARE = 0.05  # of the peak memory: less growth over a run is not reported
STALL_FACTOR = 1.2  # if a program's mean is so much longer than its usual step than in the others, steps stall
FOLDER = re.compile(r"(?<![\w:/.<>-])~?/(?:[\w.+-]+/)+")  # an absolute path up to its name, in any text
PATH = re.compile(r"(?<=[\"'])(?:~|[A-Za-z]:\\|/)[^\"'\n]*[/\\](?=[^\"'\n]+)")  # likewise in quotes, with spaces
MODEST = frozenset(("root", "user", "localhost"))  # names that identify nobody

Document = dict[str, Any]  # fields of a JSON object


def document(choices: Sequence[Choice], measured: Measured, busy: str = "") -> Document:
    """Return everything that reports show, without names of the host or the user, and without paths.

    `busy` says that other programs used the machine.
    """
    replies = [[replies[place] for replies in measured.rounds] for place in range(len(choices))]
    about = _machine()
    sides = [_side(*each, about) for each in zip(choices, replies, measured.looks)]
    programs = [_program(*each) for each in zip(choices, sides, replies)]
    least = min(one["mean_step_s"] / one["step_s"] for one in programs)
    for one in programs:  # a busy machine makes the steps of all programs irregular
        one["has_stalls"] = not busy and one["mean_step_s"] > STALL_FACTOR * least * one["step_s"]
    found: Document = without_names({
        "programs": programs,
        "pairs": [_pair(one, other, choices, sides, measured) for one, other in verdict.pairs(measured.rounds)],
        "machine": about, "command": _command(choices), "seconds": round(measured.spent_s, 1),
        "rounds": len(measured.rounds), "note": measured.note, "busy": busy,
        "unknown": [f"{choice.letter}: {problem}" for choice, look in zip(choices, measured.looks)
                    for problem in _problems(look)],
    })  # fmt: skip
    return found


def _side(choice: Choice, replies: Sequence[Any], look: Any, surroundings: Mapping[str, Any]) -> causes.Side:
    middle = statistics.median
    return causes.Side(
        choice.letter, choice.source, look.get("facts", {}),
        middle(verdict.step_s(reply) for reply in replies), middle(reply["first_step_s"] for reply in replies),
        middle(sum(reply["block_cpu_s"]) / sum(reply["block_s"]) for reply in replies),
        _most(reply["peak_bytes"] for reply in replies), _growth(replies),
        choice.settings, surroundings, look.get("losses", ()), replies[0]["examples_per_step"], replies[0]["unit"],
    )  # fmt: skip


def _most(values: Any) -> int | None:
    return max((value for value in values if value is not None), default=None)


def _growth(replies: Sequence[Any]) -> float | None:
    """Return by how many bytes a step increases the resident memory, if it grew in every process."""
    slopes = []
    for reply in replies:
        late = reply["resident_bytes"][len(reply["resident_bytes"]) // 2 :]
        if len(late) < 3:
            return None
        slope = measure.theil_sen(late)
        if slope * len(late) < GROWTH_SHARE * max(late):
            return None
        slopes.append(slope / float(reply["steps_per_block"] + 1))
    return statistics.median(slopes)


def _program(choice: Choice, side: causes.Side, replies: Sequence[Any]) -> Document:
    last = replies[-1]
    return {
        "letter": choice.letter, "file": os.path.basename(choice.path), "environment": choice.environment,
        "python": last["python"], "versions": _versions(side), "settings": dict(choice.settings), "loop": choice.loop,
        "arguments": list(choice.arguments), "unit": last["unit"],
        "step_s": side.step_s, "round_step_s": [verdict.step_s(reply) for reply in replies],
        "mean_step_s": statistics.median(verdict.mean_step_s(reply) for reply in replies),
        "first_step_s": replies[0]["first_step_s"], "later_first_step_s": side.first_step_s,
        "start_s": statistics.median(reply["start_s"] for reply in replies),
        "cores_used": side.cores_used, "threads": side.fact("threads"),
        "all_threads": last["threads"], "peak_bytes": side.peak_bytes,
        "peak_device_bytes": _most(reply["peak_device_bytes"] for reply in replies),
        "growth_bytes_per_step": side.growth_bytes, "examples_per_step": last["examples_per_step"],
        "device_s": side.fact("device_s_per_step"), "waits": last["waits"],
        "facts": {name: dict(facts) for name, facts in side.by_framework.items()},
        "source": PATH.sub("<path>/", choice.source),
        "is_redacted": bool(PATH.search(choice.source) or FOLDER.search(choice.source)),
    }  # fmt: skip


def _versions(side: causes.Side) -> dict[str, str]:
    found: dict[str, str] = {}
    for versions in side.facts("versions"):
        found.update(versions)
    return found


def _pair(
    one: int, other: int, choices: Sequence[Choice], sides: Sequence[causes.Side], measured: Measured
) -> Document:
    """Judge a slower program against the fastest one."""
    places = (one, other)
    ratio = verdict.ratio(measured.rounds, one, other)
    names = [choices[place].letter for place in places]
    losses = [[replies[place]["losses"] for replies in measured.rounds] for place in places]
    same = work.judge(names, [measured.looks[place] for place in places],
                      [measured.twins[place] for place in places], losses)  # fmt: skip
    judged = [sides[place]._replace(is_slower=ratio.word == "different" and place == one) for place in places]
    problems: list[str] = []
    has_looks = all("facts" in measured.looks[place] for place in places)
    found = causes.find(judged[0], judged[1], problems=problems) if has_looks else []
    if any(cause.is_work and not cause.is_on_both for cause in found):
        same = same._replace(verdict="different", sentences=[*same.sentences, "Likely cause 1 is other work."])
    return {
        "one": names[0], "other": names[1], **ratio._asdict(),
        "more_s": None if ratio.more_rounds is None else ratio.more_rounds * measured.round_s,
        "work": same._asdict(), "problems": problems, "has_looks": has_looks,
        "causes": [
            dict(cause._asdict(), lesson=_lesson(cause), unit=judged[0].unit, finding=cause.finding._asdict())
            for cause in found
        ],
    }  # fmt: skip


def _lesson(cause: causes.Cause) -> str:
    """Return where a lesson is: its address if SITE_URL states that of a published site, otherwise its name."""
    site = os.environ.get("SITE_URL", "").rstrip("/")
    if not cause.lesson:
        return ""
    return f"{site}/lessons/#{cause.lesson}" if site else f"{cause.lesson} (on the site's page Lessons)."


def _problems(look: Any) -> list[str]:
    failed = [str(look["reason"])] if look.get("status", "ok") != "ok" else []
    return failed + list(look.get("problems", []))


def _machine() -> Document:
    described = machine.describe("")
    return {
        **{name: described[name] for name in ("cpu", "logical_cpus", "memory_bytes", "system", "gpu", "gpu_driver")},
        "cores": machine.cores(), "quota_cores": machine.quota_cores(),
        "sharing": sharing(),
        "variables": {name: os.environ[name] for name in THREADS if name in os.environ},
    }  # fmt: skip


def _command(choices: Sequence[Choice]) -> str:
    """Return the command without paths."""
    files = [os.path.basename(choice.path) for choice in choices]
    words = ["python -m bench versus", *files]
    for choice in choices:
        words += [f"--python {choice.letter}=PATH"] * bool(choice.python and not choice.environment)
        words += [f"--set {choice.letter}:{name}={value}" for name, value in choice.settings.items()]
        words += [f"--loop {choice.letter}={choice.loop}"] * bool(choice.loop)
        words += [f'--arguments {choice.letter}="{" ".join(choice.arguments)}"'] * bool(choice.arguments)
    return " ".join(words)


def without_names(value: Any) -> Any:
    """Return a JSON value whose texts hold no folder of this machine, no host name and no user name."""
    if isinstance(value, str):
        return _without_names(value)
    if isinstance(value, dict):
        return {_without_names(str(key)): without_names(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_names(inner) for inner in value]
    return value


def _without_names(text: str) -> str:
    text = FOLDER.sub("<path>/", without_paths(text))
    for name, word in _names():
        text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", word, text)
    return text


def _names() -> list[tuple[str, str]]:
    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        user = ""  # a container without a user database
    names = [(socket.gethostname(), "<host>"), (user, "<user>")]
    return [(name, word) for name, word in names if len(name) > 2 and name not in MODEST]
