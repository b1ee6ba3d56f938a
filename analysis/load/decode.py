"""Decode a line of results and hold it against bench/schema.json in one go, as nearly all lines are right.

What this takes is right beyond doubt; a None says only that bench/records.py must look closer, and say what is wrong.
The types that a line is decoded to are made from the schema, so that each rule stands once.
"""

import functools
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, Required, TypedDict, Union

import msgspec

from bench import records, schema
from bench.records import Record

Shape = dict[str, Any]  # a schema

LARGEST = 2**62  # readers of JSON differ in what they make of an integer that is not much larger
KIND = b'"kind": "'
TEXTS = ("started", "ended", "reason")  # in which colons are usual

Fits = Callable[[str], Any]  # says whether a text is as a pattern wants it


class Inside(NamedTuple):
    """What is in an object, beside what its type says of it."""

    objects: Sequence[tuple[str, Any]] = ()  # its fields that hold objects, or lists of them, with what is inside those
    texts: Sequence[tuple[str, Fits]] = ()  # its fields that hold texts of a pattern


def read(path: Path) -> list[Record]:
    """Return a file's records, as bench/records.py reads them, and raises for."""
    return records.read(str(path), record)


def record(line: bytes) -> Record | None:
    """Return a line's record where it is right beyond doubt; None where a closer look is needed."""
    begin = line.find(KIND) + len(KIND)
    known = KINDS.get(line[begin : line.find(b'"', begin)])
    if known is None or b"\\" in line:
        return None
    decode, inside = known
    try:
        found: Record = decode(line)
        colons = _fields(found, inside) + sum([(found.get(name) or "").count(":") for name in TEXTS])
    except (ValueError, RecursionError):  # of msgspec's own, all are ValueErrors
        return None
    is_whole = line.count(b":") == colons  # or a field was lost, unknown or named twice; or a name has a colon
    return found if is_whole and not records.other_kind(found) else None


def _fields(value: Any, inside: Inside) -> int:
    """Return how many fields an object has, with those in it: behind each name stands a colon.

    Raises ValueError for a text that is not as its pattern wants it.
    """
    if type(value) is list:
        return sum([_fields(each, inside) for each in value])
    for name, fits in inside.texts:
        if (text := value.get(name)) is not None and not fits(text):
            raise ValueError(name)
    total = len(value)
    for name, own in inside.objects:
        if value.get(name):
            total += _fields(value[name], own)
    return total


def _inside(shape: Shape) -> Inside | None:
    """Return what is in an object, or in those of a list; None for what is no object."""
    shape = schema.resolved(shape)
    if "items" in shape:
        return _inside(shape["items"])
    if "object" not in shape.get("type", ()):
        return None
    fields = {name: schema.resolved(own) for name, own in shape.get("properties", {}).items()}
    objects = [(name, inside) for name, own in fields.items() if (inside := _inside(own)) is not None]
    return Inside(objects, [(name, _fits(own["pattern"])) for name, own in fields.items() if "pattern" in own])


@functools.cache
def _fits(pattern: str) -> Fits:
    """Return what says whether a text fits: nearly all texts of results stand in many lines, and are asked for once."""
    return functools.lru_cache(maxsize=2**12)(re.compile(pattern).fullmatch)


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
        name: (Required if name in required else NotRequired)[_type(_without_pattern(schema.resolved(inner)))]
        for name, inner in shape["properties"].items()
    }
    return TypedDict("Fields", fields)  # type: ignore[operator]


def _without_pattern(shape: Shape) -> Shape:
    """Return the shape of a field's value: its pattern is asked for by `_fields`, five times as fast as by msgspec."""
    return {keyword: value for keyword, value in shape.items() if keyword != "pattern"}


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
KINDS = {  # by the kind of a line: what decodes it, and what is inside it
    kind.encode(): (msgspec.json.Decoder(_type(shape)).decode, _inside(shape) or Inside())
    for kind, shape in schema.SCHEMAS.items()
}
