"""Hostile results, made from a seed: a pull request could use them to run a script, or to end a build.

Each is a whole results file that is right but for one thing. Either reading refuses it, with file and line, or the
text in it reaches pages as text.
"""

import copy
import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import campaign
from payloads import NAMES, NO_RECORDS, PAYLOADS, SHORT, SHOWN, TEXTS

Record = dict[str, Any]
Lines = dict[str, Record]  # by kind
Numbers = Iterator[int]  # of campaigns, each once

SEED = 20261121
EACH = 3  # fields that a payload is put into, of those for names and of those for text


class Hostile(NamedTuple):
    """A file: its place below a results folder, its content, and the expected reaction."""

    name: str  # of the hostile part
    path: str
    content: bytes
    is_refused: bool
    line: int | None = None  # which the reason must name
    payloads: tuple[str, ...] = ()  # which may reach a page only as numeric references
    shown: tuple[str, ...] = ()  # payloads that a data file shows

    def write(self, results: Path) -> None:
        """Write it below a results folder."""
        path = results / self.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.content)


def files(seed: int = SEED) -> list[Hostile]:
    """Return every hostile file, always the same for a seed."""
    chance, numbers = random.Random(seed), itertools.count()
    made = itertools.chain(_in_names(chance, numbers), _in_texts(chance, numbers), _numbers(numbers),
                           _lines(numbers), _wholes(numbers), _over_data(numbers), _places(numbers),
                           _controls(numbers))  # fmt: skip
    return [each._replace(name=f"{number:03d} {each.name}") for number, each in enumerate(made)]


def accepted() -> list[Hostile]:
    """Return the hostile files that reading does not refuse."""
    return [each for each in files() if not each.is_refused]


def _campaign(number: int, machine: str, *, is_measured: bool = False) -> Lines:
    """Return a valid campaign's lines by kind; each has its own question, and has no time unless measured."""
    name = f"20261120-{number:06d}"
    case = campaign.case("red", batch_size=1 + number)
    ceiling = {"kind": "ceiling", "campaign": name, "environment": "red", "device": "cpu", "precision": "tf32",
               "matmul_flops_s": None, "copy_bytes_s": None, "reason": "it was planted"}  # fmt: skip
    bench = {**campaign.bench([case], name, machine), "started": "2026-11-20T09:00:00Z", "telemetry": "processor"}
    lines = {
        "bench": bench,
        "environment": campaign.environment("red", name, inherited={}),
        "ceiling": ceiling,
        "void": campaign.void(case, 2, name, kept="it was planted"),
        "run": campaign.run(case, 1, 0.01 if is_measured else "failed", seed=number, campaign=name),
        "end": campaign.end(name),
    }
    return {kind: copy.deepcopy(line) for kind, line in lines.items()}  # lines share no part


def _text(lines: Lines) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in lines.values()).encode()


def _put(lines: Lines, field: str, value: object) -> int:
    """Put a value into a field; returns the number of its line."""
    kind, *parents, last = field.split(".")
    holder: Any = lines[kind]
    for parent in parents:
        holder = holder[parent]
    if last == "*":
        holder[str(value)] = "1"
    else:
        holder[last] = [value] if isinstance(holder.get(last), list) else value
    return list(lines).index(kind) + 1


def _file(
    name: str,
    lines: Lines,
    machine: str,
    line: int | None = None,
    content: bytes | None = None,
    **more: Any,
) -> Hostile:
    """Return a file of these lines, or of other content. It is refused if the reason must name a line."""
    path = f"{machine}/{lines['run']['campaign']}.jsonl"
    return Hostile(name, path, _text(lines) if content is None else content, line is not None, line, **more)


def _made(
    numbers: Numbers, name: str, machine: str, field: str, value: object, *, is_refused: bool, **more: Any
) -> Hostile:
    """Return a valid campaign with one hostile value in it."""
    lines = _campaign(next(numbers), machine, is_measured=more.pop("is_measured", False))
    number = _put(lines, field, value)
    return _file(name, lines, machine, number if is_refused else None, **more)


def _in_names(chance: random.Random, numbers: Numbers) -> Iterator[Hostile]:
    for payload in PAYLOADS:
        for field in chance.sample(NAMES, EACH):
            yield _made(numbers, f"{field}: {ascii(payload)[:60]}", "names", field, payload, is_refused=True)


def _in_texts(chance: random.Random, numbers: Numbers) -> Iterator[Hostile]:
    """Yield text in free text fields: every payload as a reason, which pages show for each run, and in a second field.

    What pages show of a machine's newest campaign alone takes many payloads at once, on a machine of its own.
    """
    hidden = [each for each in TEXTS if each not in SHOWN]
    for payload in PAYLOADS:
        lines, field = _campaign(next(numbers), "texts"), chance.choice(hidden)
        texts = [_put_text(lines, each, payload) for each in (field, "run.reason")]
        name = f"run.reason and {field}: {ascii(payload)[:60]}"
        yield _file(name, lines, "texts", payloads=tuple(texts), shown=(texts[1],))
    once = [each for each in SHOWN if each != "run.reason"]
    for first in range(0, len(PAYLOADS), 4 * len(once)):
        payloads, machine = PAYLOADS[first : first + 4 * len(once) : 4], f"texts-{first:02d}"
        lines = _campaign(next(numbers), machine)
        texts = tuple(_put_text(lines, field, payload) for field, payload in zip(once, payloads, strict=False))
        yield _file(f"many fields of {machine}", lines, machine, payloads=texts, shown=texts)


def _put_text(lines: Lines, field: str, payload: str) -> str:
    """Put a payload into a field, truncated to the longest text of that field; return this text."""
    text = payload[: SHORT.get(field.split(".", maxsplit=1)[0], 4000)]
    _put(lines, field, text)
    return text


def _numbers(numbers: Numbers) -> Iterator[Hostile]:
    """Yield numbers that no machine has. Values that are not numbers are refused; the others are harmless."""
    for field, value in (
        ("bench.machine.memory_bytes", 10**400), ("bench.budget_s", 1e308), ("bench.threads", -1),
        ("run.round", True), ("run.case.batch_size", 10**12), ("run.block_s", 1e200), ("run.loss_last", -1e60),
        ("ceiling.matmul_flops_s", 1e40), ("end.rounds", 10**25), ("void.attempt", 0), ("run.seed", 1.5),
        ("run.case", []),
    ):  # fmt: skip
        yield _made(numbers, f"{field} = {value!r:.40}", "numbers", field, value, is_refused=True, is_measured=True)
    for field, value in (
        ("run.block_s", 1e-300), ("run.duration_s", 1e9), ("run.steps_per_block", 2**53 - 1), ("run.wait_s", 1e9),
        ("run.steady_from", 2**53 - 1), ("run.steady_from", None), ("run.drift", None), ("run.loss_last", 1e38),
        ("run.peak_host_memory_bytes", 0), ("run.first_step_s", 1e-9), ("run.import_s", None), ("run.proof", None),
        ("ceiling.matmul_flops_s", 0.0), ("ceiling.reason", None), ("run.block_cpu_s", 1e9), ("run.round", 2**53 - 1),
        ("bench.machine.memory_bytes", 0), ("bench.machine.logical_cpus", 0), ("run.block_s", 5e-324),
    ):  # fmt: skip
        yield _made(numbers, f"{field} = {value!r}", "measured", field, value, is_refused=False, is_measured=True)


def _lines(numbers: Numbers) -> Iterator[Hostile]:
    """Yield lines that are not records, as the third line of a file, so that a reason without its number is noticed."""
    for name, line in NO_RECORDS.items():
        lines = _campaign(next(numbers), "lines")
        parts = _text(lines).splitlines(keepends=True)
        yield _file(name, lines, "lines", 3, b"".join([*parts[:2], line + b"\n", *parts[2:]]))


def _wholes(numbers: Numbers) -> Iterator[Hostile]:
    """Yield files whose lines are valid alone, but not together."""
    for name, kinds, is_refused in (
        ("no first line", ("environment", "run", "end"), True),
        ("the end first", ("end", "bench", "run"), True),
        ("a run alone", ("run",), True),
        ("two first lines", ("bench", "bench", "environment", "run", "end"), False),
        ("no environment", ("bench", "run", "end"), False),
        ("nothing but a beginning", ("bench",), False),
        ("an end in the middle", ("bench", "end", "environment", "run", "end"), False),
        ("the same run a hundred times", ("bench", "environment", *("run",) * 100, "end"), False),
        ("an environment a hundred times", ("bench", *("environment",) * 100, "run", "end"), False),
        ("nothing at all", (), False),
    ):
        lines = _campaign(next(numbers), "measured", is_measured=True)
        text = "".join(json.dumps(lines[kind]) + "\n" for kind in kinds)
        yield _file(name, lines, "measured", 1 if is_refused else None, text.encode())
    lines = _campaign(next(numbers), "measured", is_measured=True)
    lines["bench"]["profile"] = "control"
    yield _file("a control's profile among benches", lines, "measured", 1)
    for task in ("epochs", "fit"):
        yield _made(numbers, f"a run with the task {task}", "measured", "run.case.task", task, is_refused=True)


def _over_data(numbers: Numbers) -> Iterator[Hostile]:
    """Yield runs over data sets that lack a field of such runs."""
    for name, changes, data in (
        ("epochs of a network that has no data set", {"workload": "linear", "optimizer": "adam"}, "mnist"),
        ("epochs of a data set that nobody knows", {}, "nobody_knows-stand-in-7"),
        ("epochs without a score", {"score": None}, "mnist"),
        ("epochs without scores", {"test_scores": []}, "mnist"),
        ("epochs of many scores", {"test_scores": [0.1] * 1000}, "mnist-stand-in"),
        ("epochs of scores beyond all reason", {"test_scores": [-1e38, 1e38, -1e38]}, "mnist-stand-in"),
    ):
        lines = _campaign(next(numbers), "measured")
        usual = lines["run"]["case"]
        case = {**usual, **{key: changes.pop(key) for key in usual if key in changes}, "task": "epochs", "data": data}
        lines["bench"]["cases"], lines["void"]["case"] = [case], case
        lines["run"] = {**campaign.epochs(case, 1, 0.5, campaign=lines["run"]["campaign"]), **changes}
        yield _file(name, lines, "measured")


def _places(numbers: Numbers) -> Iterator[Hostile]:
    """Yield valid files with hostile names of folders and files."""
    for name in ("<script>alert(1)<script>", "x onerror=alert(1)", "[a](javascript:alert(1))", "{{ 7*7 }}", "a\u202eb",
                 "-rf", ".hidden", "..a", "a..b", "\u001b[31m", "\n::error::x", "%2e%2e", "a'b\"c", "$x$", "$(id)",
                 "`id`", "x" * 65, "\u0430dmin", "a\u200bb", "é", "~", "#", "?", "a&b", "a;b", "a|b"):  # fmt: skip
        lines = _campaign(next(numbers), "measured")
        path = f"{name}/{lines['run']['campaign']}.jsonl" if len(name) % 2 else f"places/{name}.jsonl"
        yield Hostile(f"called {name!a}", path, _text(lines), is_refused=name != "x onerror=alert(1)")


def _controls(numbers: Numbers) -> Iterator[Hostile]:
    """Yield lines of controls that could break a judge, or that hold payloads."""
    said = {"environment": "red", "mode": "eager", "workload": "linear"}
    times = {"ours_s": [0.1, 0.2], "within_s": [0.1, 0.2], "bare_s": [0.1, 0.2], "theirs_s": [0.1, 0.2], "steps": [10]}
    for name, control, about, series, line in (
        ("no words", "overhead", {}, times, 3),
        ("no numbers", "overhead", said, {}, 3),
        ("numbers that are none", "overhead", said, {**times, "ours_s": ["1"]}, 3),
        ("times of zero", "overhead", said, {**times, "bare_s": [0.0, 0.1]}, 3),
        ("times of no size", "agreement", said, {**times, "theirs_s": [5e-324, 1e-300]}, 3),
        ("times of different number", "agreement", said, {**times, "theirs_s": [0.1]}, 3),
        ("no sabotage", "waiting", said, {}, 3),
        ("a key that is no plan", "planted", {"competitor-01": "everything 100"}, {}, 3),
        ("a key of one word", "planted", {"competitor-01": "device"}, {}, 3),
        ("a key without twins", "planted", {"competitor-01": "device 3"}, {}, 3),
        ("a word that is none", "overhead", {**said, "<script>alert(1)</script>": "x"}, times, 3),
    ):
        yield _control(numbers, name, control, about, series, is_refused=True, line=line)
    for number, payload in enumerate(PAYLOADS[::6]):
        text = payload[:400]
        control = ("waiting", "agreement")[number % 2]
        about = {**said, "sabotage": text, "name": text, "caught_by": text}
        name = f"{control}: {ascii(payload)[:60]}"
        yield _control(numbers, name, control, about, times, is_refused=False, machine=f"controls-{number // 2:02d}",
                       payloads=(text,), shown=(text,))  # fmt: skip


def _control(
    numbers: Numbers, name: str, control: str, about: Record, series: Record, *, machine: str = "control", **more: Any
) -> Hostile:
    lines = _campaign(next(numbers), machine)
    lines["bench"]["profile"] = "control"
    said = {"kind": "control", "campaign": lines["run"]["campaign"], "control": control, "about": about,
            "series": series, "started": "2026-11-20T09:00:00Z", "duration_s": 1.0, "status": "ok", "reason": None,
            "error_tail": None}  # fmt: skip
    kept = {"bench": lines["bench"], "environment": lines["environment"], "control": said, "end": lines["end"]}
    path = f"{machine}/controls/{control}/{lines['run']['campaign']}.jsonl"
    return Hostile(f"control {name}", path, _text(kept), **more)
