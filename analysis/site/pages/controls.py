"""The controls: each promise of the measurement with its criterion and its verdict on each machine."""

from collections.abc import Mapping

from analysis import controls
from analysis.controls import Control
from analysis.found import Found
from analysis.site import links, template
from analysis.text import html

MARKS = {True: "✓ passes", False: "✗ fails", None: "? open"}
KINDS = {True: "holds", False: "fails", None: "undecided"}


def page(found: Found) -> str:
    """Return the fragment of the controls' page: all at a glance, then what each found."""
    names = found.names
    promises = [_promise(found, name, names) for name in controls.found()]
    return template.render("controls.html", promises=promises, data=links.data("../", "control_evidence.csv"))


def _promise(found: Found, name: str, names: Mapping[str, str]) -> tuple[str, str, list[tuple[str, html.Markup, str]]]:
    """Return a control's title, when it passes, and its verdict with its finding on each machine."""
    about = controls.about(controls.found()[name])
    verdicts = [(names.get(machine, machine), mark(judged[name]), judged[name].finding.split(". ")[0].rstrip(".") + ".")
                for machine, judged in found.controls.items() if name in judged]  # fmt: skip
    return about.title, about.criterion, verdicts


def mark(judged: Control) -> html.Markup:
    """Return a control's verdict as it is in tables."""
    return html.element("strong", MARKS[judged.passes], kind=f"verdict {KINDS[judged.passes]}")
