"""The data files below docs/generated/data: all that the site rests on, with a dictionary and schemas.

A module here describes its tables once: the columns, what each says, and its value of a row. The dictionary and the
data package are made from the same descriptions.
"""

from analysis.data import cells, history, judged, stated, trained
from analysis.data.schema import DICTIONARY, Table, package, text
from analysis.found import Found

TABLES: list[Table] = [
    cells.TABLE, judged.PAIRS, *trained.TABLES, history.TABLE, judged.COMPARISONS, judged.SETS,
    *stated.OF_MACHINES, *judged.TABLES, *stated.TABLES,
]  # fmt: skip


def files(found: Found) -> dict[str, str]:
    """Return every data file by its name below docs/generated."""
    made = {
        **{table.name: text(table, found) for table in TABLES},
        "lessons.json": judged.lessons(found),
        "lessons.schema.json": judged.lessons_schema(),
        "dictionary.csv": text(DICTIONARY, TABLES),
        "datapackage.json": package(TABLES),
    }
    return {f"data/{name}": content for name, content in made.items()}
