"""The controls: each promise of the measurement with its criterion and its verdict on each machine."""

from analysis import controls
from analysis.controls import About, Control
from analysis.found import Found
from analysis.site import links, template
from analysis.text import html

MARKS = {True: ("✓ passes", "holds"), False: ("✗ fails", "fails"), None: ("? open", "undecided")}  # and classes


def page(found: Found) -> str:
    """Return the fragment of the controls' page: a table of all controls with their verdicts."""
    promises = [_promise(found, name, controls.about(module)) for name, module in controls.found().items()]
    return template.render("controls.html", promises=promises, data=links.data("../", "control_evidence.csv"))


def _promise(found: Found, name: str, about: About) -> tuple[str, str, list[tuple[str, html.Markup, str]]]:
    """Return a control's title, when it passes, and its verdict with its finding on each machine."""
    judged = {machine: controls[name] for machine, controls in found.controls.items() if name in controls}
    verdicts = [(found.names.get(machine, machine), mark(control), control.finding.split(". ")[0].rstrip(".") + ".")
                for machine, control in judged.items()]  # fmt: skip
    return about.title, about.criterion, verdicts


def mark(control: Control) -> html.Markup:
    """Return a control's verdict as it is in tables."""
    words, kind = MARKS[control.passes]
    return html.element("strong", words, kind=f"verdict {kind}")
