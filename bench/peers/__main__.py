"""Measure pairs with every tool, in random order; each measurement is a line of the machine's file."""

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Sequence
from typing import Any

from bench import files, machine, readers, registry
from bench.cli import options
from bench.driver import lock
from bench.peers import __doc__ as purpose
from bench.peers import asv_project, pairs
from bench.peers.tools import TOOLS
from bench.replies import without_paths
from bench.units import duration

DIGITS = 5  # of a raw time


class Task:
    """A measurement to make: a tool, a true ratio, and the repeat. The order of the two programs follows from these."""

    def __init__(self, tool: str, truth: float, repeat: int) -> None:
        self.tool, self.truth, self.repeat = tool, truth, repeat
        self.is_slower_first = random.Random(f"{tool} {truth} {repeat}").random() < 0.5  # noqa: S311 - no secret

    @property
    def key(self) -> tuple[str, float, int]:
        """What a finished task is known by."""
        return self.tool, self.truth, self.repeat


def main() -> int:
    """Measure what is not measured yet; return the exit code."""
    wanted = _parser().parse_args()
    about = machine.describe(wanted.machine)
    path = os.path.join(wanted.results, about["name"], "peers", f"{wanted.kind}.jsonl")
    tasks = _tasks(wanted, _done(path))
    folder = os.path.join(registry.STATE, "peers", wanted.kind)
    os.makedirs(folder, exist_ok=True)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    scale = pairs.scale(folder, wanted.kind)
    if any(task.tool.startswith("asv") for task in tasks):
        _say("Preparing the environment of asv, and measuring its rounds.")
        scale = asv_project.prepare(pairs.write(folder, wanted.kind, 1.0, False, scale))
    about = {name: about[name] for name in ("name", "cpu", "logical_cpus", "system")}
    versions = {tool: TOOLS[tool].version() for tool in {task.tool for task in tasks}}
    begin = time.monotonic()
    for number, task in enumerate(tasks):
        left_s = (time.monotonic() - begin) / number * (len(tasks) - number) if number else wanted.seconds * len(tasks)
        _say(f"{number + 1} of {len(tasks)}: {task.tool}, ratio {task.truth:.2f}; about {duration(left_s)} left")
        if time.monotonic() - begin > wanted.limit:
            _say(f"The limit of {duration(wanted.limit)} is reached. The same command continues.")
            return 0
        line = _measured(task, folder, wanted, scale)
        line.update(machine=about, version=versions[task.tool], started=files.now(), python=sys.version.split()[0])
        files.append(path, json.dumps(line, sort_keys=True).encode() + b"\n")
    print("\n".join(_summary(path)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.peers", description=purpose, formatter_class=options.AS_WRITTEN
    )
    parser.add_argument("--kind", choices=sorted(pairs.ARRAYS), default="numpy", help="what the programs import")
    parser.add_argument("--repeats", type=readers.positive, default=20, metavar="N")
    parser.add_argument("--ratios", type=float, nargs="+", default=[1.0, 1.03], metavar="R", help="true ratios, "
                        "such as 1.00 1.02 1.03 1.05 1.10 (default: 1.00 1.03)")  # fmt: skip
    parser.add_argument("--seconds", type=float, default=30.0, metavar="S", help="for a tool and a pair (default: 30)")
    parser.add_argument(
        "--limit", type=readers.seconds, default=7200.0, metavar="TIME", help="end after it (default: 2h)"
    )
    parser.add_argument("--tool", choices=list(TOOLS), action="append", help="only this tool (may be repeated)")
    parser.add_argument("--results", type=os.path.abspath, default=options.RESULTS, metavar="FOLDER")
    parser.add_argument("--machine", type=options.machine_name, metavar="NAME", help="name of the machine's folder")
    return parser


def _tasks(wanted: argparse.Namespace, done: set[tuple[str, float, int]]) -> list[Task]:
    """Return what to measure, repeat by repeat in random order; tools that are absent are left out, with the reason."""
    tools = wanted.tool or list(TOOLS)
    for tool in tools:
        if reason := TOOLS[tool].absence():
            _say(f"{tool} is left out. {reason}")
    tools = [tool for tool in tools if not TOOLS[tool].absence()]
    tasks = []
    for repeat in range(wanted.repeats):
        group = [Task(tool, round(ratio, 2), repeat) for tool in tools for ratio in wanted.ratios]
        random.Random(repeat).shuffle(group)  # noqa: S311 - no secret
        tasks += [task for task in group if task.key not in done]
    return tasks


def _lines(path: str) -> list[dict[str, Any]]:
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _done(path: str) -> set[tuple[str, float, int]]:
    return {(line["tool"], line["truth"], line["repeat"]) for line in _lines(path)}


def _measured(task: Task, folder: str, wanted: argparse.Namespace, scale: pairs.Scale) -> dict[str, Any]:
    """Return the line of a task; if the tool fails, its reason."""
    pair = pairs.write(folder, wanted.kind, task.truth, task.is_slower_first, scale)
    line = {"tool": task.tool, "truth": task.truth, "repeat": task.repeat, "is_slower_first": task.is_slower_first,
            "kind": wanted.kind, "budget_s": wanted.seconds, "problem": ""}  # fmt: skip
    with lock.alone(say=_say):  # wait until no other bench measures
        begin = time.monotonic()
    try:
        ratio, is_different, times_s = TOOLS[task.tool].measure(pair, wanted.seconds)
        line.update(ratio=round(ratio, 6), is_different=is_different, times_s=_rounded(times_s))
    except Exception as error:  # noqa: BLE001 - a tool that fails once must not end a campaign of hours
        line.update(problem=without_paths(f"{type(error).__name__}: {error}")[-500:])
        _say(f"{task.tool} failed: {error}")
    line["seconds"] = round(time.monotonic() - begin, 1)
    return line


def _rounded(times_s: Sequence[Sequence[float]]) -> list[list[float]]:
    return [[float(f"{value:.{DIGITS}g}") for value in values] for values in times_s]


def _summary(path: str) -> list[str]:
    """Return a line for each tool and ratio; the site shows them with intervals."""
    lines = _lines(path)
    groups = sorted({(line["truth"], line["tool"]) for line in lines})
    found = []
    for truth, tool in groups:
        own = [line for line in lines if (line["truth"], line["tool"]) == (truth, tool) and not line["problem"]]
        reports = sum(line["is_different"] for line in own)
        seconds = sum(line["seconds"] for line in own) / max(len(own), 1)
        found.append(f"ratio {truth:.2f}  {tool:22}  a difference in {reports} of {len(own)}, {seconds:.0f} s each")
    return found


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
