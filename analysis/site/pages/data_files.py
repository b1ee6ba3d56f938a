"""The list of the data files with their content."""

from analysis import data
from analysis.found import Found
from analysis.site import links
from analysis.site.template import render
from analysis.text.html import element, link

ROOT = "../"
OTHERS = (
    ("lessons.json", "Every lesson with its verdict, advice and comparisons (schema: lessons.schema.json)."),
    ("dictionary.csv", "Every column of every table: type, unit and meaning."),
    ("datapackage.json", "The same as a Frictionless data package."),
)


def page(found: Found) -> str:  # noqa: ARG001 - the pages of fragments are called alike
    """Return a table of the files."""
    tables = ((table.name, table.about) for table in data.TABLES)
    rows = [(link(links.data(ROOT, name), element("code", name)), text) for name, text in (*tables, *OTHERS)]
    return render("data_files.html", rows=rows)
