"""The list of the data files: what each holds, and where its columns are described."""

from analysis import data
from analysis.found import Found
from analysis.site import links
from analysis.site.template import render
from analysis.text.html import Markup, element, link

ROOT = "../"
OTHERS = (
    ("lessons.json", "Every lesson with its verdict, advice and comparisons (schema: lessons.schema.json)."),
    ("dictionary.csv", "Every column of every table: type, unit and meaning."),
    ("datapackage.json", "The same as a Frictionless data package."),
)


def page(found: Found) -> str:  # noqa: ARG001 - the pages of fragments are called alike
    """Return a table of the files."""
    named = [(table.name, table.about) for table in data.TABLES]
    rows = [(_file(name), about) for name, about in (*named, *OTHERS)]
    return render("data_files.html", rows=rows)


def _file(name: str) -> Markup:
    return link(links.data(ROOT, name), element("code", name))
