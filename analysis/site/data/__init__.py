"""The data files below docs/generated/data: all that the site rests on, with a dictionary and schemas."""

from analysis.site.data import article_tables, cells, evidence, lessons, machines, pairs
from analysis.site.data.schema import Table, dictionary, package, text
from analysis.site.pages import Found

TABLES: list[Table] = [cells.TABLE, pairs.TABLE, *evidence.TABLES, *machines.TABLES, article_tables.TABLE]


def files(found: Found) -> dict[str, str]:
    """Return every data file by its name below docs/generated."""
    made = {table.name: text(table, found) for table in TABLES}
    made[lessons.NAME] = lessons.text(found)
    made[lessons.SCHEMA_NAME] = lessons.schema()
    made["dictionary.csv"] = dictionary(TABLES)
    made["datapackage.json"] = package(TABLES)
    return {f"data/{name}": content for name, content in made.items()}
