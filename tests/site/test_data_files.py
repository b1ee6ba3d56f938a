"""No number was lost: each row and column of the tables that pages had before is in a data file, and files are sound.

before.json.gz lists the tables of the site as it was before evidence moved to data files.
It holds each column with its place in a file, and the key of each row.
"""

import csv
import gzip
import io
import json
import re
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

pytestmark = pytest.mark.browser  # which is where a built site is

MOST_BYTES = 7_000_000
FILE_OF_TABLE = 1_000_000  # of the file that Results reads
FOLDER = "generated/data"
LINKS = ("results/#", "compare/#")
WRITTEN = "2026-11-28"  # before.json.gz
PASSING = ("campaigns", "versions")  # kinds of sets: only the newest campaigns, and versions of one framework, remain

SETS = ("machine", "kind", "first", "second")  # columns that name a machine or a kind of sets


@pytest.fixture(scope="module")
def before():
    return json.loads(gzip.decompress((Path(__file__).parent / "before.json.gz").read_bytes()))


@pytest.fixture(scope="module")
def files(site):
    """Return the rows of each data file by name."""
    csv.field_size_limit(1 << 20)
    texts = {path.name: path.read_text(encoding="utf-8") for path in (site / FOLDER).glob("*.csv")}
    found = {name: list(csv.DictReader(io.StringIO(text))) for name, text in texts.items()}
    lessons = json.loads((site / FOLDER / "lessons.json").read_text(encoding="utf-8"))
    return {**found, "lessons.json": list(flat(lessons))}


def flat(lessons):
    """Yield each lesson, and each of its comparisons with the lesson's fields."""
    for each in lessons["lessons"]:
        yield {"rules": lessons["rules"], **each}
        for own in each["comparisons"]:
            yield {**each, **own}


def test_each_column_of_the_tables_before_is_in_a_data_file(before, files):
    columns = {name: {column for row in rows for column in row} for name, rows in files.items()}
    lost = [(table, heading, place) for table, heading, place in before["columns"]
            if place.split(":")[1] not in columns.get(place.split(":")[0], ())]  # fmt: skip
    assert len(before["columns"]) > 300
    assert lost == []


def test_each_row_of_the_tables_before_is_in_a_data_file(before, files):
    lost = []
    again = {
        row["machine"] for row in files["campaigns.csv"] if row["began"] > WRITTEN
    }  # its newest times replace some
    for table in before["rows"]:
        places = [place for place, name in enumerate(table["key"]) if name != "rounds"]  # a later campaign adds some
        held = {tuple(str(row.get(table["key"][place], "")) for place in places) for row in files[table["file"]]}
        named = [place for place, name in enumerate(table["key"]) if name in SETS]
        kept = [row for row in table["rows"] if not {*again, *PASSING} & {row[place] for place in named}]
        lost += [(table["file"], row) for row in kept if tuple(row[place] for place in places) not in held]
    assert sum(len(table["rows"]) for table in before["rows"]) > 12_000
    assert lost == []


def test_no_file_names_a_path_of_the_machine_that_built_it(site):
    root = str(Path(__file__).resolve().parents[2])
    assert [path.name for path in (site / FOLDER).iterdir() if root in path.read_text(encoding="utf-8")] == []


def test_the_data_files_are_small_enough_to_publish(site):
    sizes = {path.name: path.stat().st_size for path in (site / FOLDER).iterdir()}
    assert sum(sizes.values()) <= MOST_BYTES
    assert max(sizes["results.json"], sizes["compare.json"]) <= FILE_OF_TABLE


def test_lessons_follow_their_schema(site):
    jsonschema = pytest.importorskip("jsonschema")
    lessons, schema = (json.loads((site / FOLDER / name).read_text(encoding="utf-8"))
                       for name in ("lessons.json", "lessons.schema.json"))  # fmt: skip
    jsonschema.validate(lessons, schema)


def test_each_link_to_results_leads_to_rows_that_exist(site):
    """A link whose filter names what the table has not would show an empty table, or say so."""
    tables = {kind: json.loads((site / FOLDER / f"{kind}.json").read_text()) for kind in ("results", "compare")}
    broken = set()
    for page in site.rglob("*.html"):
        for link in links(page):
            kind = urlsplit(link).path.rstrip("/").rpartition("/")[2]
            if kind in tables and not rows_of(tables[kind], parse_qs(urlsplit(link).fragment)):
                broken.add((page.relative_to(site).as_posix(), link))
    assert broken == set()


def links(page):
    """Yield the links of a page that set filters."""
    found = re.findall(r'href="([^"]*)"', page.read_text(encoding="utf-8"))
    yield from (unescape(link) for link in found if any(part in link for part in LINKS) and "=" in link)


def rows_of(table, asked):
    """Return how many rows a link shows, with those that have no time."""
    chosen = {facet["key"]: {facet["names"].index(name) for name in asked[facet["key"]] if name in facet["names"]}
              for facet in table["facets"] if facet["key"] in asked}  # fmt: skip
    codes = {facet["key"]: facet["codes"] for facet in table["facets"]}
    return sum(all(codes[key][row] in own for key, own in chosen.items()) for row in range(table["rows"]))
