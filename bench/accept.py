"""Say quickly whether a value is right by a schema: yes or no, where bench/schema.py says what is wrong.

Results have many lines, and nearly all are right. So no path is kept here and no words, and the schema is written out
as Python: one expression for all fields that an object must have. A no only means that a closer look is needed.
"""

import functools
import math
import operator
import re
from typing import Any, Callable, Dict, Optional

Accepts = Callable[..., bool]
Shape = Dict[str, Any]

LARGEST = 2.0**62  # readers of JSON differ in what they make of an integer that is not much larger
NUMBERS = frozenset((float, int))


def compiled(shape: Shape, definitions: Dict[str, Shape]) -> Accepts:
    """Return what says yes to a value that is right by `shape`, made of the keywords that bench/schema.py knows.

    `definitions` are what a `$ref` may name. A shape without a type is that of a field's name.
    """
    return _of_each([shape], definitions)


def counter(shape: Shape, definitions: Dict[str, Shape]) -> Optional[Callable[[Any], int]]:
    """Return what counts the fields of a value that is right by `shape`, and of all objects in it; None without any."""
    shape = _meant(shape, definitions)
    types = _types(shape)
    if "array" in types:
        count_item = counter(shape["items"], definitions)
        return count_item and (lambda value: sum([count_item(item) for item in value if item]))
    if "object" not in types:
        return None
    counts = ((name, counter(inner, definitions)) for name, inner in shape.get("properties", {}).items())
    inner_counts = [(name, count) for name, count in counts if count]

    def count(value):
        total = len(value)
        for name, inner_count in inner_counts:
            if value.get(name):
                total += inner_count(value[name])
        return total

    return count if inner_counts else len


def _meant(shape, definitions):
    return definitions[shape["$ref"]] if "$ref" in shape else shape


def _types(shape):
    names = shape.get("type", "string")
    return [names] if isinstance(names, str) else names


def _of_each(shapes, definitions):
    """Return a function of as many values as there are shapes: whether each is right."""
    known = {"inf": math.inf, "NUMBERS": NUMBERS}  # type: Dict[str, Any]
    names = ["value_%d" % place for place in range(len(shapes))]
    tests = [_written(name, shape, definitions, known) for name, shape in zip(names, shapes)]
    source = "lambda %s: %s" % (", ".join(names), " and ".join(tests) or "True")
    return eval(source, known)  # noqa: S307 - no text of a result is in it, and of the schema only numbers


def _written(name, shape, definitions, known):
    """Return the test of a value, called `name`, as Python; what it refers to beside is added to `known`."""
    shape = _meant(shape, definitions)
    test = " or ".join("(%s)" % WRITERS[each](name, shape, definitions, known) for each in _types(shape))
    if "enum" in shape:
        test = "(%s) and %s in %s" % (test, name, _called(frozenset(shape["enum"]), known))
    return "(%s)" % test


def _called(thing, known):
    name = "known_%d" % len(known)
    known[name] = thing
    return name


def _object(name, shape, definitions, known):
    return "type(%s) is dict and %s(%s)" % (name, _called(_fields(shape, definitions), known), name)


def _fields(shape, definitions):
    properties, others = shape.get("properties", {}), shape.get("additionalProperties", True)
    needed = [name for name in shape.get("required", ()) if name in properties]
    needed = needed if len(needed) > 1 else []  # one alone would not come in a tuple
    values_of = operator.itemgetter(*needed) if needed else lambda _: ()
    are_right = _of_each([properties[name] for name in needed], definitions)
    tests = [(name, compiled(properties[name], definitions)) for name in properties if name not in needed]
    required = frozenset(shape.get("required", ()))
    is_other = compiled(others, definitions) if isinstance(others, dict) else lambda _: others
    is_name = compiled(shape["propertyNames"], definitions) if "propertyNames" in shape else None

    def accepts(value):
        if not required <= value.keys() or not are_right(*values_of(value)):
            return False
        rest = len(value) - len(needed)
        for name, is_right in tests:
            if name in value:
                rest -= 1
                if not is_right(value[name]):
                    return False
        if rest and not all(is_other(item) for name, item in value.items() if name not in properties):
            return False
        return is_name is None or all(map(is_name, value))

    return accepts


def _array(name, shape, definitions, known):
    items = _meant(shape["items"], definitions)
    if items == {"type": "number", **_limits(items)}:
        rule = "not {0} or NUMBERS.issuperset(map(type, {0})) and {1!r} <= min({0}) and max({0}) <= {2!r}"
        test = rule.format(name, *_bounds(items)) + " and sum(%s) < inf" % name  # NaN has no place in an order
    else:
        test = "all(map(%s, %s))" % (_called(compiled(items, definitions), known), name)
    return "type(%s) is list and (%s)" % (name, test)


def _string(name, shape, _, known):
    tests = ["type(%s) is str" % name]
    if "maxLength" in shape:
        tests.append("len(%s) <= %d" % (name, shape["maxLength"]))
    if "pattern" in shape:
        fits = functools.lru_cache(maxsize=4096)(re.compile(shape["pattern"]).fullmatch)  # lines repeat names, hashes
        tests.append("%s(%s) is not None" % (_called(fits, known), name))
    return " and ".join(tests)


def _limits(shape):
    return {name: shape[name] for name in ("minimum", "maximum") if name in shape}


def _bounds(shape):
    return max(shape.get("minimum", -LARGEST), -LARGEST), min(shape.get("maximum", LARGEST), LARGEST)


def _integer(name, shape, *_):
    least, most = _bounds(shape)
    return "type(%s) is int and %r <= %s <= %r" % (name, least, name, most)


def _number(name, shape, *_):
    least, most = _bounds(shape)
    return "(type({0}) is float or type({0}) is int) and {1!r} <= {0} <= {2!r}".format(name, least, most)


WRITERS = {  # by name of a type: what writes the test of it, with the keywords that go with it
    "object": _object,
    "array": _array,
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": lambda name, *_: "type(%s) is bool" % name,
    "null": lambda name, *_: "%s is None" % name,
}
