"""What follows from the classes of lines.py: the check of an object, the JSON schema, and lines from and to objects."""

import functools
import inspect
import math
import re
import types
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from bench.cases import Case
from bench.results import lines

A_NAME = "a field's name"  # part of a path if the name of a field is wrong, not its value
AnyRecord = TypeVar("AnyRecord", bound=lines.Record)
PLAIN = re.compile("[A-Za-z0-9_.-]{1,60}")  # a field's name that is safe to print unquoted

Path = tuple[Any, Any] | None  # location of a value: the path of its container, and a field's name or an item's index
Faults = list[str]
# appends faults of a value; returns True if its type is wrong, so that no further check makes sense
Check = Callable[[Any, Path, Faults], bool | None]


@functools.cache
def fields(kind: type) -> dict[str, Any]:
    """Return the fields of a class of records, or of Case, with their types."""
    return lines.CASE if kind is Case else get_type_hints(kind, include_extras=True)


@functools.cache
def required(kind: type) -> list[str]:
    """Return the fields without which a record is incomplete: those that have no default, and `kind`."""
    defaults = {name: parameter.default for name, parameter in inspect.signature(kind).parameters.items()}
    return [name for name in fields(kind) if name == "kind" or defaults[name] is inspect.Parameter.empty]


def is_optional(hint: Any) -> bool:
    """Return whether a field of this type may be null."""
    return type(None) in get_args(hint)


def problems(record: Any) -> Faults:
    """Return what is wrong with an object, as `field: expected ..., got ...`; empty if it is a valid line."""
    kind = record.get("kind") if isinstance(record, dict) else None
    if not isinstance(kind, str) or kind not in CHECKS:
        return [f"kind: expected one of {', '.join(sorted(CHECKS))}, got {_short(kind)}"]
    faults: Faults = []
    CHECKS[kind](record, None, faults)
    return faults


def _short(value: Any) -> str:
    """Return a value as at most 60 ASCII characters, safe for terminals and logs."""
    if isinstance(value, (dict, list)):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    text = ascii(value[:60] if isinstance(value, str) else value)
    return text if len(text) <= 60 else text[:57] + "..."


def _at(path: Path) -> str:
    """Return a path as text: `case.workload`, `block_s[1]`."""
    if path is None:
        return ""
    before, last = _at(path[0]), path[1]
    if isinstance(last, int):
        return f"{before}[{last}]"
    name = last if last == A_NAME or PLAIN.fullmatch(last) else _short(last)
    return f"{before}.{name}" if before else name


def _add(faults: Faults, path: Path, text: str) -> None:
    faults.append(f"{_at(path) or 'record'}: {text}")


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return _is_integer(value) or (isinstance(value, float) and math.isfinite(value))


TYPES: dict[type, tuple[str, Callable[[Any], bool]]] = {  # the name in JSON, and the test of a value
    dict: ("object", lambda value: isinstance(value, dict)),
    list: ("array", lambda value: isinstance(value, list)),
    str: ("string", lambda value: isinstance(value, str)),
    bool: ("boolean", lambda value: isinstance(value, bool)),
    int: ("integer", _is_integer),
    float: ("number", _is_number),
}


def _json_class(hint: Any) -> type:
    """Return the class of JSON's values that a type stands for."""
    kind = get_origin(hint) or hint
    return dict if kind is Case or issubclass(kind, lines.Record) else kind


def _check(hint: Any) -> Check:
    """Return the check of a type: of its values' class first, then of what is in them."""
    may_be_null = is_optional(hint)
    inner = get_args(hint)[0] if may_be_null else hint
    meta = get_args(inner)[1] if get_origin(inner) is Annotated else None
    base = get_args(inner)[0] if meta else inner
    if get_origin(base) is Literal:
        return _literal(get_args(base) + (None,) * may_be_null)
    usual, is_valid, (name, test) = _json_class(base), _content(base, meta), TYPES[_json_class(base)]
    expected = name + " or null" * may_be_null

    def check(value: Any, path: Path, faults: Faults) -> bool | None:
        if value is None and may_be_null:
            return None
        if (type(value) is not usual or usual is float) and not test(value):
            _add(faults, path, f"expected {expected}, got {_short(value)}")
            return True
        return is_valid(value, path, faults) if is_valid else None

    return check


def _content(base: Any, meta: Any | None) -> Check | None:
    """Return the check of what is in a value of the right class; None if anything may be."""
    arguments = get_args(base)
    if get_origin(base) is list:
        return _items(_check(arguments[0]))
    if get_origin(base) is dict:
        return _entries(_check(arguments[0]), _check(arguments[1]))
    if _json_class(base) is dict:
        return _record(base)
    return None if meta is None else _text(meta) if base is str else _bounds(meta)


def _literal(values: tuple[Any, ...]) -> Check:
    allowed = ", ".join(map(str, values))

    def check(value: Any, path: Path, faults: Faults) -> None:
        if not isinstance(value, (str, int, types.NoneType)) or isinstance(value, bool) or value not in values:
            _add(faults, path, f"expected one of {allowed}, got {_short(value)}")

    return check


def _text(meta: Any) -> Check:
    fits, most = re.compile(meta.pattern or "(?s:.*)").fullmatch, meta.max_length or math.inf

    def check(value: Any, path: Path, faults: Faults) -> None:
        if not fits(value):  # the patterns are anchored; `search` would accept `$` before a final line break
            _add(faults, path, f"expected text like {meta.pattern}, got {_short(value)}")
        if len(value) > most:
            _add(faults, path, f"expected at most {most} characters, got {len(value)}")

    return check


def _bounds(meta: Any) -> Check:
    least, most = meta.ge, meta.le
    if least is None or most is None:
        raise NotImplementedError("Every number in lines.py needs both bounds.")

    def check(value: Any, path: Path, faults: Faults) -> None:
        if value < least:
            _add(faults, path, f"expected at least {least}, got {_short(value)}")
        elif value > most:
            _add(faults, path, f"expected at most {most}, got {_short(value)}")

    return check


def _items(check_item: Check) -> Check:
    def check(value: Any, path: Path, faults: Faults) -> None:
        for index, item in enumerate(value):
            check_item(item, (path, index), faults)

    return check


def _entries(check_name: Check, check_value: Check) -> Check:
    def check(value: Any, path: Path, faults: Faults) -> None:
        for name, item in value.items():
            check_value(item, (path, name), faults)
            check_name(name, (path, A_NAME), faults)

    return check


def _record(kind: type) -> Check:
    needed, checks = required(kind), {name: _check(hint) for name, hint in fields(kind).items()}

    def check(value: Any, path: Path, faults: Faults) -> None:
        for name in needed:
            if name not in value:
                _add(faults, (path, name), "is missing")
        for name, item in value.items():
            if name in checks:
                checks[name](item, (path, name), faults)
            else:
                _add(faults, (path, name), "is not a known field (results/README.md lists them)")

    return check


CHECKS = {name: _check(kind) for name, kind in lines.KINDS.items()}


def json_schema() -> dict[str, Any]:
    """Return the JSON schema of a line of a result file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "One line of a result file; results/README.md says what each field means",
        "oneOf": [_shape(kind) for kind in lines.KINDS.values()],
    }


def _shape(hint: Any) -> dict[str, Any]:
    """Return the JSON schema of a type."""
    arguments = get_args(hint)
    if is_optional(hint):
        return {"anyOf": [_shape(arguments[0]), {"type": "null"}]}
    if get_origin(hint) is Annotated:
        names = {"minimum": "ge", "maximum": "le", "pattern": "pattern", "maxLength": "max_length"}
        bounds = {name: getattr(arguments[1], own) for name, own in names.items()}
        return _shape(arguments[0]) | {name: bound for name, bound in bounds.items() if bound is not None}
    if get_origin(hint) is Literal:
        return {"enum": [*arguments]}
    shape: dict[str, Any] = {"type": TYPES[_json_class(hint)][0]}
    if get_origin(hint) is list:
        return shape | {"items": _shape(arguments[0])}
    if get_origin(hint) is dict:
        return shape | {"propertyNames": _shape(arguments[0]), "additionalProperties": _shape(arguments[1])}
    if shape["type"] == "object":
        properties = {name: _shape(inner) for name, inner in fields(hint).items()}
        shape |= {"additionalProperties": False, "required": required(hint), "properties": properties}
    return shape


def read(content: Mapping[str, Any]) -> lines.Line:
    """Return the line of a JSON object that `problems` found right."""
    line: lines.Line = _built(lines.KINDS[content["kind"]], content)
    return line


def _built(hint: Any, value: Any) -> Any:
    """Return a value of JSON as its type asks: an object becomes a record or a case."""
    if is_optional(hint):
        return None if value is None else _built(get_args(hint)[0], value)
    if get_origin(hint) is list:
        return [_built(get_args(hint)[0], item) for item in value] if get_args(hint)[0] is Case else value
    if hint is Case or (isinstance(hint, type) and issubclass(hint, lines.Record)):
        return hint(**{name: _built(fields(hint)[name], item) for name, item in value.items()})
    return value


def content(record: Any) -> dict[str, Any]:
    """Return a record as the object that a line holds; fields that came later are left out where they are unknown."""
    kind: type = type(record)
    values = {name: getattr(record, name) for name in fields(kind)}
    return {name: _as_json(value) for name, value in values.items() if value is not None or name in required(kind)}


def _as_json(value: Any) -> Any:
    if isinstance(value, list):
        return [_as_json(item) for item in value] if value and isinstance(value[0], Case) else value
    return content(value) if isinstance(value, (lines.Record, Case)) else value


def changed(record: AnyRecord, **values: Any) -> AnyRecord:
    """Return a record with other values of some fields."""
    return type(record)(**{**{name: getattr(record, name) for name in fields(type(record))}, **values})
