"""Decode a line of results and hold it against bench/schema.json in one go, as nearly all lines are right.

What this takes is right beyond doubt; a None says only that bench/records.py must look closer, and say what is wrong.
The types that a line is decoded to are made from the schema, so that each rule stands once.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, Required, TypedDict, Union

import msgspec

from bench import records, schema
from bench.records import Record

Shape = dict[str, Any]  # a schema

LARGEST = 2**62  # readers of JSON differ in what they make of an integer that is not much larger
KIND = b'"kind": "'
TEXTS = ("started", "ended", "reason")  # in which colons are usual

Objects = list[tuple[str, Any]]  # the fields of an object that hold others, or lists of them, with theirs


def read(path: Path) -> list[Record]:
    """Return a file's records, as bench/records.py reads them, and raises for."""
    return records.read(str(path), record)


def record(line: bytes) -> Record | None:
    """Return a line's record where it is right beyond doubt; None where a closer look is needed."""
    begin = line.find(KIND) + len(KIND)
    known = KINDS.get(line[begin : line.find(b'"', begin)])
    if known is None or b"\\" in line:
        return None
    decode, objects = known
    try:
        found: Record = decode(line)
    except (ValueError, RecursionError):  # of msgspec's own, all are ValueErrors
        return None
    colons = _fields(found, objects) + sum([(found.get(name) or "").count(":") for name in TEXTS])
    is_whole = line.count(b":") == colons  # or a field was lost, unknown or named twice; or a name has a colon
    return found if is_whole and not records.other_kind(found) else None


def _fields(value: Any, objects: Objects) -> int:
    """Return how many fields an object has, with those in it: behind each name stands a colon."""
    if type(value) is list:
        return sum([_fields(each, objects) for each in value])
    total = len(value)
    for name, inner in objects:
        if value.get(name):
            total += _fields(value[name], inner)
    return total


def _objects(shape: Shape) -> Objects | None:
    """Return the fields of an object, or of those in a list, that hold objects; None for what is no object."""
    shape = schema.resolved(shape)
    if "items" in shape:
        return _objects(shape["items"])
    if "object" not in shape.get("type", ()):
        return None
    inner = ((name, _objects(own)) for name, own in shape.get("properties", {}).items())
    return [(name, objects) for name, objects in inner if objects is not None]


def _type(shape: Shape) -> Any:
    """Return the type of what is right by a schema, made of the keywords that bench/schema.py knows."""
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
    fields = {
        name: (Required if name in required else NotRequired)[_type(inner)]
        for name, inner in shape["properties"].items()
    }
    return TypedDict("Fields", fields)  # type: ignore[operator]


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
KINDS = {  # by the kind of a line: what decodes it, and where objects lie in it
    kind.encode(): (msgspec.json.Decoder(_type(shape)).decode, _objects(shape) or [])
    for kind, shape in schema.SCHEMAS.items()
}
