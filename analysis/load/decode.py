"""Decode a line of a result file and check it in one step, as nearly all lines are right.

A line that this accepts is right, except that a field may occur twice, which only a closer look detects
(bench/results/records.py, and so `nox -s check-results`). None means: look closer, and say what is wrong.
"""

import json
from functools import cache
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import msgspec

from bench.cases import Case
from bench.results import lines, records, schema
from bench.results.lines import Line, Record

LARGEST = 2**62  # integers beyond need a closer look: readers of JSON differ
KIND = b'"kind": "'
CASES: dict[tuple[Any, ...], Case] = {}  # each once, for all lines


def read(path: Path) -> list[Line]:
    """Return a file's lines; raises RecordError as bench/results/records.py does."""
    return records.read(str(path), line)


def read_checked(path: Path) -> list[Line]:
    """Return the lines of a file in which `read` found no fault."""
    return [line(content) or schema.read(json.loads(content)) for content in records.content_of(str(path))]


def line(content: bytes) -> Line | None:
    """Return a line if it is right; None if it needs a closer look."""
    start = content.find(KIND) + len(KIND)
    decoder = DECODERS.get(content[start : content.find(b'"', start)])
    if decoder is None or b"\\" in content:
        return None
    try:
        decoded: Any = decoder.decode(content)
    except (ValueError, RecursionError):  # all errors of msgspec are ValueErrors
        return None
    if decoded.kind == "bench":
        decoded.cases = [_case(fields) for fields in decoded.cases]
    elif decoded.kind in CASED:
        decoded.case = _case(decoded.case)
        if records.KIND_OF_TASK[decoded.case.task] != decoded.kind and decoded.kind in records.RUNS:
            return None
    right: Line = decoded
    return right


def _case(fields: msgspec.Struct) -> Case:
    key = msgspec.structs.astuple(fields)
    return CASES.get(key) or CASES.setdefault(key, Case(*key))


def _type(hint: Any) -> Any:
    """Return the type that msgspec decodes: records refuse unknown fields, patterns a final line break."""
    origin, arguments = get_origin(hint), get_args(hint)
    if schema.is_optional(hint):
        return _type(arguments[0]) | None
    if origin is Annotated and arguments[1].pattern:
        return Annotated[str, msgspec.Meta(pattern=rf"\A(?:{arguments[1].pattern})\Z")]
    if origin is Annotated and arguments[0] is float:  # an integer stays one
        least, most = max(arguments[1].ge, -LARGEST), min(arguments[1].le, LARGEST)
        whole = Annotated[int, msgspec.Meta(ge=int(least), le=int(most))]
        return whole | Annotated[float, msgspec.Meta(ge=float(least), le=float(most))]
    if origin in (list, dict):
        return origin[tuple(map(_type, arguments))]
    is_record = hint is Case or (isinstance(hint, type) and issubclass(hint, Record))
    return _decoded(hint) if is_record else hint


@cache
def _decoded(kind: type) -> Any:
    """Return the class that the objects of a class of records are decoded to."""
    needed = schema.required(kind)
    fields = [
        (name, _type(hint)) if name in needed else (name, _type(hint), None)
        for name, hint in schema.fields(kind).items()
    ]
    bases = None if kind is Case else (kind,)
    return msgspec.defstruct(kind.__name__, fields, bases=bases, kw_only=True, gc=False, forbid_unknown_fields=True)


DECODERS = {name.encode(): msgspec.json.Decoder(_decoded(kind)) for name, kind in lines.KINDS.items()}
CASED = frozenset(name for name, kind in lines.KINDS.items() if "case" in schema.fields(kind))
