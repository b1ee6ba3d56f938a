"""Check one record against bench/schema.json, with the keywords of JSON Schema that file uses and nothing beside NumPy.

A cluster's interpreter may have no jsonschema package; a test holds this module against that package.
"""

import json
import math
import os
import re
from typing import Any, List

HERE = os.path.dirname(os.path.abspath(__file__))
KEYWORDS = {
    "$ref", "type", "enum", "pattern", "maxLength", "minimum", "maximum", "items", "properties", "required",
    "additionalProperties", "propertyNames",
}  # fmt: skip
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}

with open(os.path.join(HERE, "schema.json"), encoding="utf-8") as _file:
    _FILE = json.load(_file)
DEFINITIONS = {"#/$defs/" + name: shape for name, shape in _FILE["$defs"].items()}
SCHEMAS = {each["$ref"][len("#/$defs/") :]: DEFINITIONS[each["$ref"]] for each in _FILE["oneOf"]}  # by kind of line


def problems(record: Any) -> List[str]:
    """Return what is wrong with a record, as `field: expected ..., got ...`; empty when nothing is."""
    kind = record.get("kind") if isinstance(record, dict) else None
    if not isinstance(kind, str) or kind not in SCHEMAS:
        return ["kind: expected one of %s, got %s" % (", ".join(sorted(SCHEMAS)), _short(kind))]
    return list(_check(record, SCHEMAS[kind], ""))


def _short(value):
    """Return a value in at most 60 ASCII characters, however large or deep it is: it goes to terminals and logs."""
    if isinstance(value, (dict, list)):
        return "%s of %d" % ("an object" if isinstance(value, dict) else "a list", len(value))
    text = ascii(value[:60] if isinstance(value, str) else value)
    return text if len(text) <= 60 else text[:57] + "..."


def _named(name):
    """Return a field's name as it is where it is a plain one."""
    return name if re.fullmatch("[A-Za-z0-9_.-]{1,60}", name) else _short(name)


def _is(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return _is(value, "integer") or (isinstance(value, float) and math.isfinite(value))
    return isinstance(value, TYPES[name])


def _check(value, schema, path):  # noqa: C901, PLR0912 - one branch a keyword
    where = path or "record"
    schema = DEFINITIONS[schema["$ref"]] if "$ref" in schema else schema
    unknown = set(schema) - KEYWORDS
    if unknown:
        raise NotImplementedError("bench/schema.py does not know the keywords %s." % sorted(unknown))
    types = schema.get("type", [])
    types = types if isinstance(types, list) else [types]
    if types and not any(_is(value, name) for name in types):
        yield "%s: expected %s, got %s" % (where, " or ".join(types), _short(value))
        return
    if "enum" in schema and value not in schema["enum"]:
        yield "%s: expected one of %s, got %s" % (where, ", ".join(map(str, schema["enum"])), _short(value))
    if isinstance(value, str):
        # The patterns are anchored; a search would let `$` stand before a last line break.
        if "pattern" in schema and not re.fullmatch(schema["pattern"], value):
            yield "%s: expected text like %s, got %s" % (where, schema["pattern"], _short(value))
        if len(value) > schema.get("maxLength", len(value)):
            yield "%s: expected at most %d characters, got %d" % (where, schema["maxLength"], len(value))
    if _is(value, "number") and value < schema.get("minimum", value):
        yield "%s: expected at least %s, got %s" % (where, schema["minimum"], _short(value))
    if _is(value, "number") and value > schema.get("maximum", value):
        yield "%s: expected at most %s, got %s" % (where, schema["maximum"], _short(value))
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            for problem in _check(item, schema["items"], "%s[%d]" % (path, index)):
                yield problem
    if isinstance(value, dict):
        for problem in _check_object(value, schema, path):
            yield problem


def _check_object(value, schema, path):
    prefix = path + "." if path else ""
    known = schema.get("properties", {})
    for name in schema.get("required", []):
        if name not in value:
            yield "%s%s: is missing" % (prefix, name)
    for name, item in value.items():
        inner = known.get(name, schema.get("additionalProperties"))
        if inner is False:
            yield "%s%s: is not a known field (results/README.md lists them)" % (prefix, _named(name))
        elif inner is not None:
            for problem in _check(item, inner, prefix + _named(name)):
                yield problem
        for problem in _check(name, schema.get("propertyNames", {}), prefix + "a field's name"):
            yield problem
