"""Bring campaigns of other results folders, such as those of a cluster's nodes, into one results folder."""

import contextlib
import glob
import itertools
import os
from collections import Counter
from collections.abc import Sequence

from bench import files
from bench.driver import lock
from bench.errors import RecordError
from bench.results import records
from bench.results.lines import Bench

PLACES = ("*/*.jsonl", "*/controls/*/*.jsonl")  # of campaigns in a results folder
KINDS = NEW, LONGER, SAME = ("new", "continued", "unchanged")

Content = list[bytes]  # complete lines of a file


def merge(folders: Sequence[str], into: str) -> Counter[str]:
    """Bring every campaign of `folders` into the results folder `into`; return how many files are of which kind.

    Of two files of one campaign, the longer one is kept if it begins with the other. If a line or a seal
    is wrong, a campaign is in a wrong place, or two files differ otherwise, raises RecordError and writes nothing.
    Raises BusyError if a bench writes into `into`.
    """
    found: dict[str, Content] = {}
    for path, place in _campaigns(folders):
        if content := _checked(path, place):
            found[place] = _longer(found.get(place, []), content, place)
    counts = Counter[str]()
    with contextlib.ExitStack() as stack:
        for folder in (into, *sorted({os.path.join(into, os.path.dirname(place)) for place in found})):
            if os.path.isdir(folder):
                stack.enter_context(lock.locked(folder, lock.WRITING % folder))
        own = {place: _lines(os.path.join(into, place)) for place in found}
        merged = {place: _longer(own[place], content, place) for place, content in found.items()}
        for place, content in merged.items():
            kind = NEW if not own[place] else LONGER if len(content) > len(own[place]) else SAME
            counts[kind] += 1
            if kind != SAME:
                _write(os.path.join(into, place), content)
    return counts


def _campaigns(folders: Sequence[str]) -> list[tuple[str, str]]:
    """Return each campaign's file, and its place in its results folder; raises RecordError for a folder without any."""
    found = []
    for folder in folders:
        paths = [path for place in PLACES for path in sorted(glob.glob(os.path.join(glob.escape(folder), place)))]
        if not paths:
            raise RecordError(
                f"{folder} holds no campaign. Expected FOLDER/<machine>/<campaign>.jsonl: give the folder that "
                "--results named when they were measured."
            )
        found += [(path, os.path.relpath(path, folder)) for path in paths]
    return found


def _checked(path: str, place: str) -> Content:
    """Return the lines of a file if all are right and it is where it belongs; none if it has no complete line yet."""
    content = records.read(path)
    if not content:
        return []
    first, machine, name = content[0], place.split(os.sep, maxsplit=1)[0], os.path.splitext(os.path.basename(path))[0]
    if not isinstance(first, Bench) or (first.machine.name, first.campaign) != (machine, name):
        got = f"{first.machine.name}/{first.campaign}" if isinstance(first, Bench) else f"a line {records.kind(first)}"
        raise RecordError(
            f"{files.called(path)}, line 1: expected the first line of campaign {machine}/{name}, got {got}. Give a "
            "results folder as FOLDER, and leave its files the names that the bench gave."
        )
    return _lines(path)[: len(content)]  # a bench may have added lines meanwhile


def _lines(path: str) -> Content:
    """Return the complete lines of a file; none if there is no file."""
    if not os.path.lexists(path):
        return []
    files.check_place(path)
    return [line.rstrip(b"\n") for line in records.content_of(path)]


def _longer(first: Content, second: Content, place: str) -> Content:
    """Return the longer of two versions of a campaign; raises RecordError unless it begins with the other."""
    for number, (line, other) in enumerate(itertools.zip_longest(first, second), 1):
        if line is None or other is None:
            break
        if line != other:
            raise RecordError(
                f"{place}, line {number}: expected the same line in both files of this campaign, got two. They were "
                "continued in two places, or one was edited. Nothing was written: move the wrong file away."
            )
    return max(first, second, key=len)


def _write(path: str, content: Content) -> None:
    """Write a file whole or not at all."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(f"{path}.partial", "wb") as file:
        file.write(b"".join(line + b"\n" for line in content))
        file.flush()
        os.fsync(file.fileno())
    os.replace(file.name, path)
