"""A line that is decoded without a closer look is one that a closer look finds nothing wrong with, and the same."""

import copy
import glob
import json
import math
import os

import campaign
import corpus
import pytest

from analysis.load import decode
from bench import registry
from bench.results import records, schema

VALUES = [
    None, True, False, 0, 1, -1, 7, 2**53, 10**20, -(10**20), 10**400, 0.0, 0.5, -2.5, 1e20, 1e39, 1e300, math.nan,
    math.inf, -math.inf, "", "cpu", "train", "a b", "a..b", "0" * 16, "x\n", "x" * 65, "x" * 5000, "\ud800", [], [1],
    [0.5, 2], [True], [None], ["a"], [math.nan], [1, math.nan], [math.nan, 1], [math.inf], [-1e300, 1e300], [[]], {},
    {"a": 1}, {"": None}, {"a": "b"},
]  # fmt: skip
CASE = campaign.case("red")
RUN = campaign.run(CASE, 1, 0.01, machine_state=campaign.state(gpu=campaign.GPU), seal="0" * 16)
RIGHT = [
    {**campaign.bench([CASE]), "telemetry": "all"},
    campaign.environment("red", "c", inherited={"A": None}),
    RUN,
    campaign.run(CASE, 1, "failed"),
    campaign.epochs(campaign.over_data("red"), 1, 0.5),
    campaign.void(CASE, 2),
    {**campaign.ceiling(campaign="c"), "copy_bytes_s": None, "reason": "it broke"},
    {"kind": "control", "campaign": "c", "control": "overhead", "about": {"environment": "red"},
     "series": {"ours_s": [0.1, 2]}, "started": "2026-11-21T01:00:00Z", "duration_s": 1.0, "status": "ok",
     "reason": None, "error_tail": None},
    campaign.end("c"),
]  # fmt: skip


def places(value, path=()):
    """Yield the path of each value in a record."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in items:
        yield from places(item, (*path, name))


def changed(record):
    """Yield a record with one value of it replaced, taken away, or beside an unknown one."""
    for *parents, last in places(record):
        for value in (*VALUES, KeyError, NameError):
            other = copy.deepcopy(record)
            holder = other
            for name in parents:
                holder = holder[name]
            if value is KeyError:
                del holder[last]
            elif value is NameError and isinstance(holder, dict):
                holder["<b>"] = 1
            elif value is not NameError:
                holder[last] = value
            yield other


def is_large(value):
    """Say whether a number is in a value that readers may read differently."""
    if isinstance(value, (dict, list)):
        return any(map(is_large, value.values() if isinstance(value, dict) else value))
    return isinstance(value, (int, float)) and abs(value) > decode.LARGEST


def is_plain(record):
    """Say whether a record is written without a backslash, and with nothing that JSON does not have."""
    try:
        return "\\" not in json.dumps(record, allow_nan=False)
    except ValueError:
        return False


@pytest.mark.parametrize("record", RIGHT, ids=lambda record: f"{record['kind']} {record.get('status', '')}")
def test_a_record_is_decoded_at_once_exactly_when_nothing_is_wrong_with_it(record):
    assert schema.content(decode.line(json.dumps(record).encode())) == schema.content(schema.read(record))
    seen = set()
    for each in changed(record):
        is_right = not records.problems(each)
        seen.add(is_right)
        decoded = decode.line(json.dumps(each).encode())
        assert (decoded is not None) == (is_right and is_plain(each) and not is_large(each)), each
        assert decoded is None or repr(decoded) == repr(schema.read(each))
    assert seen == {True, False}


def compare(contents):
    """Return how many lines are decoded at once, after holding each against a closer look."""
    decoded = 0
    for number, line in enumerate(contents, 1):
        closer = records._parse(number, line, lambda _: None)
        assert repr(records._parse(number, line, decode.line)) == repr(closer), line[:200]
        decoded += decode.line(line) is not None
    return decoded


def test_no_hostile_line_is_read_otherwise_by_the_short_way():
    contents = {line for each in corpus.files() for line in each.content.splitlines(keepends=True)}
    assert 100 < compare(sorted(contents)) < len(contents)


@pytest.mark.parametrize("path", sorted(glob.glob(os.path.join(registry.ROOT, "results", "*", "*.jsonl"))))
def test_nearly_every_published_line_takes_the_short_way_and_comes_out_the_same(path):
    with open(path, "rb") as file:
        contents = list(file)
    assert compare(contents) > 0.9 * len(contents)


TEXT = json.dumps(RUN)
TWICE = {  # read as the last of them says; only a closer look sees both
    "a field": ('"round": 1', '"round": 2, "round": 1'),
    "with a blank": ('"round": 1', '"round" : 2, "round": 1'),
    "with a tab": ('"round": 1', '"round": 2, "round"\t: 1'),
    "in an object": ('"samples": 40', '"samples": 41, "samples": 40'),
}
ODD = {
    "a field twice, in other letters": ('"round": 1', '"round": 1, "r\\u006fund": 1'),
    "an object twice": ('"case": {', '"case": {"a": 1}, "case": {'),
    "a field twice, and a text that hides it": ('"reason": null', '"reason": "\\":", "reason": null'),
    "a colon in a text": ('"reason": null', '"reason": "a: b \\": c\\":d"'),
    "a text that begins with a colon": ('"reason": null', '"reason": ":"'),
    "no blanks": ('"round": 1', '"round":1'),
    "more blanks": ('"round": 1', '"round":   1'),
    "half a character": ('"reason": null', '"reason": "\\ud800"'),
    "both halves of a character": ('"reason": null', '"reason": "\\ud83d\\ude00"'),
    "two halves in the wrong order": ('"reason": null', '"reason": "\\ude00\\ud83d"'),
    "an escaped backslash before a u": ('"reason": null', '"reason": "\\\\ud800"'),
    "a NUL": ('"reason": null', '"reason": "\\u0000"'),
    "a line break in a text": ('"reason": null', '"reason": "a\u2028b\u0085c"'),
    "a control character": ('"reason": null', '"reason": "\x01"'),
    "a large integer": ('"loss_last": 1.1', '"loss_last": 100000000000000000000000000'),
    "an integer of 64 bits": ('"loss_last": 1.1', '"loss_last": 18446744073709551616'),
    "a negative one": ('"loss_last": 1.1', '"loss_last": -9223372036854775809'),
    "a large float": ('"loss_last": 1.1', '"loss_last": 1e26'),
    "beyond floats": ('"loss_last": 1.1', '"loss_last": 1e999'),
    "a small one": ('"loss_last": 1.1', '"loss_last": 5e-324'),
    "below floats": ('"loss_last": 1.1', '"loss_last": 1e-999'),
    "minus zero": ('"loss_last": 1.1', '"loss_last": -0'),
    "minus zero as a float": ('"loss_last": 1.1', '"loss_last": -0.0'),
    "an exponent": ('"loss_last": 1.1', '"loss_last": 1E1'),
    "seventeen digits": ('"loss_last": 1.1', '"loss_last": 0.12345678901234567'),
    "many digits": ('"loss_last": 1.1', '"loss_last": 0.' + "1234567890" * 10),
    "a leading zero": ('"loss_last": 1.1', '"loss_last": 01.1'),
    "a plus": ('"loss_last": 1.1', '"loss_last": +1.1'),
    "no digit after the point": ('"loss_last": 1.1', '"loss_last": 1.'),
    "not a number": ('"loss_last": 1.1', '"loss_last": NaN'),
    "without an end": ('"loss_last": 1.1', '"loss_last": Infinity'),
    "a comma too many": ('"round": 1,', '"round": 1,,'),
    "a task of another kind": ('"task": "train"', '"task": "epochs"'),
}


@pytest.mark.parametrize("name", ODD)
def test_what_json_allows_and_few_write_is_read_the_same_by_the_short_way(name):
    before, after = ODD[name]
    assert TEXT.count(before) >= 1
    line = TEXT.replace(before, after, 1)
    compare([each.encode() for each in (line + "\n", line + "\r\n", " " + line + " \n", "\ufeff" + line + "\n", line)])


@pytest.mark.parametrize("name", TWICE)
def test_a_field_that_stands_twice_is_what_only_a_closer_look_refuses(name):
    line = TEXT.replace(*TWICE[name], 1).encode()
    assert repr(decode.line(line)) == repr(schema.read(RUN))
    assert "occurs twice" in records._parse(1, line, lambda _: None).problem
