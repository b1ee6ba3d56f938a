"""An article's numbers as tables, from analysis/published: with hardware and year, never against ours."""

from collections.abc import Sequence

from analysis import literature, units
from analysis.literature import Figure
from analysis.text import html
from analysis.text.html import Markup

NAMES = ("network", "framework")


def table(source: str, name: str) -> Markup:
    """Return one published table with its columns: networks and frameworks by hardware, and what is noted of them."""
    rows: dict[tuple[str, str], list[Figure]] = {}
    for figure in literature.figures(source):
        if figure.table == name:
            rows.setdefault((figure.workload, figure.framework), []).append(figure)
    columns = list(dict.fromkeys(_column(figure) for own in rows.values() for figure in own))
    named = [place for place in range(2) if len({names[place] for names in rows}) > 1] or [1]  # what tells rows apart
    notes = sorted({_shared_note(own) for own in rows.values()})
    noted = ["note"] if len(notes) > 1 else []
    header = [*(NAMES[place] for place in named), *columns, *noted]
    body = [
        [*(names[place] for place in named), *_values(own, columns), *(_shared_note(own) for _ in noted)]
        for names, own in rows.items()
    ]
    caption = [f"Published: {name}", source, *(note for note in notes if note and not noted)]
    return html.table("; ".join(caption), header, body, "published")


def _column(figure: Figure) -> str:
    metric = f"{figure.metric} ({figure.unit})" if figure.unit else figure.metric
    return f"{figure.hardware}: {metric}" if figure.hardware else metric


def _shared_note(row: Sequence[Figure]) -> str:
    notes = {figure.note for figure in row}
    return notes.pop() if len(notes) == 1 else ""


def _values(row: Sequence[Figure], columns: Sequence[str]) -> list[Markup]:
    """Return a row's values; a note that is not the whole row's stands below its value."""
    known = {_column(figure): figure for figure in row}
    shared = _shared_note(row)
    return [_value(known.get(column), shared) for column in columns]


def _value(figure: Figure | None, shared: str) -> Markup:
    if figure is None:
        return html.safe(units.NONE)
    value = figure.value or units.NONE
    if figure.note == shared:
        return html.safe(value)
    return html.join([value, html.element("small", figure.note)])
