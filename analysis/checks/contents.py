"""Every file and line by itself: places and names, sizes, the schema with its units, seals, and nothing private."""

import functools
import re
from collections.abc import Iterator

from analysis import series
from analysis.checks import MOST_BYTES, Finding, Given, ResultFile, place_problem
from bench.results import schema

ORDER = 1
AS_WRITTEN = "never edit results: give the file as the bench wrote it, or measure again"
MEASURE_AGAIN = "measure again where nothing of it shows (--machine names the folder); never edit a line"
VERSIONS = ("packages", "loaded", "libraries", "machine", "telemetry")  # whose numbers with dots are not addresses
PRIVATE = {
    "a path of its user": re.compile(r"(?<![\w.>])/(?:home|Users|root|mnt|media|Volumes|scratch|tmp)/[^\s\"',;:)]+"),
    "a path of Windows": re.compile(r"(?<!\w)[A-Za-z]:\\[^\s\"',;:)]+"),
    "an e-mail address": re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]*\w"),
    "a network address": re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.-])"),
}


def check(given: Given) -> Iterator[Finding]:
    """Check every path, every line, and every text of every line."""
    for path in given.paths:
        if problem := place_problem(path, given.results):
            yield given.finding(path, problem, "rename it, move it or take it out (results/README.md has the places)")
        elif (size := path.stat().st_size) > (most := MOST_BYTES.get(path.suffix, MOST_BYTES[".jsonl"])):
            problem = f"expected at most {most:,} bytes, got {size:,}"
            yield given.finding(path, problem, "measure some workloads at a time (--workload), a campaign each")
    names = tuple(re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE) for name in given.own)
    for file in given.files:
        yield from _lines(file)
        for number, record in file.records:
            for field, text in _texts(schema.content(record)):
                for what in _private(text, field.startswith(VERSIONS), names):
                    yield file.finding(number, f"{field}: expected nothing that tells whose machine it was, got {what}",
                                       MEASURE_AGAIN)  # fmt: skip


def _lines(file: ResultFile) -> Iterator[Finding]:
    for line in file.lines:
        if line.problem:
            yield file.finding(line.number, line.problem, AS_WRITTEN)
    if not file.lines:
        yield file.finding(None, "expected lines, got an empty file", "take the file out")
    elif not file.path.read_bytes().endswith(b"\n"):
        last = len(file.lines)
        yield file.finding(last, "expected a line break at the end, got none: it is cut off", AS_WRITTEN)
    if file.records and not any(record.seal for _, record in file.records):
        yield file.finding(None, "expected each line to end in a seal, got none", "nothing, where it was measured "
                           "before there were seals; else give the file as the bench wrote it", False)  # fmt: skip


def _texts(value: object, field: str = "") -> Iterator[tuple[str, str]]:
    """Yield (field, text) of every text in a record, the names of fields included."""
    if isinstance(value, str):
        yield field, value
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, f"{field}[{index}]")
    elif isinstance(value, dict):
        for name, item in value.items():
            plain = name if schema.PLAIN.fullmatch(name) else schema.A_NAME
            inner = f"{field}.{plain}".lstrip(".")
            yield inner, name
            yield from _texts(item, inner)


@functools.lru_cache(maxsize=1 << 16)  # names of fields and of programs are in every line
def _private(text: str, may_be_version: bool, names: tuple[re.Pattern[str], ...]) -> list[str]:
    matches = {what: next((match for match in pattern.finditer(text) if match[0] not in _releases()), None)
               for what, pattern in PRIVATE.items()}  # fmt: skip
    if may_be_version:
        del matches["a network address"]
    is_own = any(name.search(text) for name in names)
    return [f"{what}: {ascii(match[0])[:100]}" for what, match in matches.items() if match] + [
        "the name of this computer or of its user"
    ] * is_own


@functools.cache
def _releases() -> set[str]:
    """Return the versions that series of releases list: names of rows end in them, and some look like an address."""
    return {release.version for own in series.read().values() for release in own.releases}
