"""Decode a line of results and hold it against bench/results/schema.json in one go, as nearly all lines are right.

What this takes is right but for a field that stands twice, which only a closer look sees (bench/results/records.py, and
so `nox -s check-results`). A None says no more than that: look closer, and say what is wrong. The types that a line is
held against are made from the schema, so that each rule stands once.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, Union

import msgspec

from bench.results import records, schema
from bench.results.records import Record

Shape = dict[str, Any]  # a schema

LARGEST = 2**62  # readers of JSON differ in what they make of an integer that is not much larger
KIND = b'"kind": "'


def read(path: Path) -> list[Record]:
    """Return a file's records, as bench/results/records.py reads them, and raises for."""
    return records.read(str(path), record)


def record(line: bytes) -> Record | None:
    """Return a line's record where it is right; None where a closer look is needed."""
    begin = line.find(KIND) + len(KIND)
    check = KINDS.get(line[begin : line.find(b'"', begin)])
    if check is None or b"\\" in line:
        return None
    try:
        check(line)
    except (ValueError, RecursionError):  # of msgspec's own, all are ValueErrors
        return None
    found: Record = msgspec.json.decode(line)
    return None if records.other_kind(found) else found


def _type(shape: Shape) -> Any:
    """Return the type of what is right by a schema, made of the keywords that bench/results/schema.py knows."""
    shape = schema.resolved(shape)
    if "enum" in shape:
        return Literal[tuple(shape["enum"])]
    names = shape.get("type", "string")  # of a field's name, where none is given
    types = [TYPES[name](shape) for name in ([names] if isinstance(names, str) else names)]
    return Union[tuple(types)]  # noqa: UP007 - of as many as there are


def _object(shape: Shape) -> Any:
    """Return the type of an object: with known fields, or with any whose names and values have one shape."""
    if "properties" not in shape:
        return dict[_type(shape.get("propertyNames", {})), _type(shape["additionalProperties"])]  # type: ignore[misc]
    required = frozenset(shape.get("required", ()))
    fields = [
        (name, _type(inner)) if name in required else (name, _type(inner) | msgspec.UnsetType, msgspec.UNSET)
        for name, inner in shape["properties"].items()
    ]
    return msgspec.defstruct("Fields", fields, kw_only=True, gc=False, forbid_unknown_fields=True)


def _string(shape: Shape) -> Any:
    """Return the type of a text; a pattern's `$` would let a line break follow."""
    pattern = rf"\A(?:{shape['pattern']})\Z" if "pattern" in shape else None
    return Annotated[str, msgspec.Meta(pattern=pattern, max_length=shape.get("maxLength"))]


def _within(kind: type) -> Callable[[Shape], Any]:
    def bounded(shape: Shape) -> Any:
        least, most = max(shape.get("minimum", -LARGEST), -LARGEST), min(shape.get("maximum", LARGEST), LARGEST)
        return Annotated[kind, msgspec.Meta(ge=kind(least), le=kind(most))]

    return bounded


_integer, _float = _within(int), _within(float)

TYPES: dict[str, Callable[[Shape], Any]] = {
    "object": _object,
    "array": lambda shape: list[_type(shape["items"])],  # type: ignore[misc]
    "string": _string,
    "integer": _integer,
    "number": lambda shape: _integer(shape) | _float(shape),
    "boolean": lambda _: bool,
    "null": lambda _: None,
}
KINDS = {  # by the kind of a line: what raises ValueError unless it is right
    kind.encode(): msgspec.json.Decoder(_type(shape)).decode for kind, shape in schema.SCHEMAS.items()
}
