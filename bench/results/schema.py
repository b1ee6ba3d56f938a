"""Check one record against bench/results/schema.json, with the keywords of JSON Schema that the file uses."""

import json
import math
import os
import re
from typing import Any, Callable, Dict, List, Optional, Tuple

HERE = os.path.dirname(os.path.abspath(__file__))

A_NAME = "a field's name"  # part of a path if the name of a field is wrong, not its value
PLAIN = re.compile("[A-Za-z0-9_.-]{1,60}")  # a field's name that is safe to print unquoted

# location of a value: the path of its container, and a field's name or an item's index
Path = Optional[Tuple[Any, Any]]
Found = List[str]  # problems as text
# appends problems; returns True if no further check of the value makes sense
Check = Callable[[Any, Path, Found], Optional[bool]]


def problems(record: Any) -> List[str]:
    """Return what is wrong with a record, as `field: expected ..., got ...`; empty if it is valid."""
    kind = record.get("kind") if isinstance(record, dict) else None
    if not isinstance(kind, str) or kind not in SCHEMAS:
        return ["kind: expected one of %s, got %s" % (", ".join(sorted(SCHEMAS)), _short(kind))]
    found: Found = []
    CHECKS[kind](record, None, found)
    return found


def _short(value):
    """Return a value as at most 60 ASCII characters, safe for terminals and logs."""
    if isinstance(value, (dict, list)):
        return "%s of %d" % ("an object" if isinstance(value, dict) else "a list", len(value))
    text = ascii(value[:60] if isinstance(value, str) else value)
    return text if len(text) <= 60 else text[:57] + "..."


def _at(path):
    """Return a path as text: `case.workload`, `block_s[1]`."""
    if path is None:
        return ""
    before, last = _at(path[0]), path[1]
    if isinstance(last, int):
        return "%s[%d]" % (before, last)
    name = last if last == A_NAME or PLAIN.fullmatch(last) else _short(last)
    return before + "." + name if before else name


def _wrong(found, path, words, *values):
    found.append("%s: %s" % (_at(path) or "record", words % values))


def _is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value):
    return _is_integer(value) or (isinstance(value, float) and math.isfinite(value))


TYPES = {  # by name: the class of most values of the type, and the full test
    "object": (dict, lambda value: isinstance(value, dict)),
    "array": (list, lambda value: isinstance(value, list)),
    "string": (str, lambda value: isinstance(value, str)),
    "boolean": (bool, lambda value: isinstance(value, bool)),
    "null": (type(None), lambda value: value is None),
    "integer": (int, _is_integer),
    "number": (int, _is_number),
}


def _type(shape):
    names = shape["type"] if isinstance(shape["type"], list) else [shape["type"]]
    usual, tests = {TYPES[name][0] for name in names}, [TYPES[name][1] for name in names]

    def check(value, path, found):
        if type(value) in usual:
            return False
        for test in tests:
            if test(value):
                return False
        _wrong(found, path, "expected %s, got %s", " or ".join(names), _short(value))
        return True

    return check


def _enum(shape):
    known = shape["enum"]

    def check(value, path, found):
        if value not in known:
            _wrong(found, path, "expected one of %s, got %s", ", ".join(map(str, known)), _short(value))

    return check


def _pattern(shape):
    # the patterns are anchored; `search` would accept `$` before a final line break
    fits = re.compile(shape["pattern"]).fullmatch

    def check(value, path, found):
        if isinstance(value, str) and not fits(value):
            _wrong(found, path, "expected text like %s, got %s", shape["pattern"], _short(value))

    return check


def _length(shape):
    most = shape["maxLength"]

    def check(value, path, found):
        if isinstance(value, str) and len(value) > most:
            _wrong(found, path, "expected at most %d characters, got %d", most, len(value))

    return check


def _bounds(shape):
    least, most = shape.get("minimum", -math.inf), shape.get("maximum", math.inf)

    def check(value, path, found):
        if isinstance(value, (int, float)) and not least <= value <= most and _is_number(value):
            if value < least:
                _wrong(found, path, "expected at least %s, got %s", least, _short(value))
            else:
                _wrong(found, path, "expected at most %s, got %s", most, _short(value))

    return check


def _items(shape):
    check_item = _compiled(shape["items"])

    def check(value, path, found):
        if isinstance(value, list):
            for index, item in enumerate(value):
                check_item(item, (path, index), found)

    return check


def _required(shape):
    names = shape["required"]

    def check(value, path, found):
        if isinstance(value, dict):
            for name in names:
                if name not in value:
                    _wrong(found, (path, name), "is missing")

    return check


def _fields(shape):
    checks = {name: _compiled(inner) for name, inner in shape.get("properties", {}).items()}
    others = shape.get("additionalProperties")
    check_other = _compiled(others) if isinstance(others, dict) else None

    def check(value, path, found):
        if not isinstance(value, dict):
            return
        for name, item in value.items():
            check_field = checks.get(name, check_other)
            if check_field is not None:
                check_field(item, (path, name), found)
            elif others is False:
                _wrong(found, (path, name), "is not a known field (results/README.md lists them)")

    return check


def _names(shape):
    check_name = _compiled(shape["propertyNames"])

    def check(value, path, found):
        if isinstance(value, dict):
            for name in value:
                check_name(name, (path, A_NAME), found)

    return check


RULES = (  # in the order of messages: the factory of a check, and the keywords that it implements
    (_type, {"type"}),
    (_enum, {"enum"}),
    (_pattern, {"pattern"}),
    (_length, {"maxLength"}),
    (_bounds, {"minimum", "maximum"}),
    (_items, {"items"}),
    (_required, {"required"}),
    (_fields, {"properties", "additionalProperties"}),
    (_names, {"propertyNames"}),
)
KEYWORDS = {"$ref"}.union(*(keywords for _, keywords in RULES))


def resolved(shape: Dict[str, Any]) -> Dict[str, Any]:
    """Return the schema that a `$ref` names; any other schema unchanged."""
    return DEFINITIONS[shape["$ref"]] if "$ref" in shape else shape


def _compiled(shape: Dict[str, Any]) -> Check:
    """Return the compiled check of one schema.

    Raises NotImplementedError for a keyword that this module does not implement.
    """
    shape = resolved(shape)
    unknown = set(shape) - KEYWORDS
    if unknown:
        raise NotImplementedError("bench/results/schema.py does not know the keywords %s." % sorted(unknown))
    rules = [make(shape) for make, keywords in RULES if not keywords.isdisjoint(shape)]
    if len(rules) == 1:
        return rules[0]

    def check(value, path, found):
        for rule in rules:
            if rule(value, path, found):
                return

    return check


with open(os.path.join(HERE, "schema.json"), encoding="utf-8") as _file:
    _FILE = json.load(_file)
DEFINITIONS = {"#/$defs/" + name: shape for name, shape in _FILE["$defs"].items()}
SCHEMAS = {each["$ref"][len("#/$defs/") :]: DEFINITIONS[each["$ref"]] for each in _FILE["oneOf"]}  # by kind of line
CHECKS = {kind: _compiled(shape) for kind, shape in SCHEMAS.items()}
