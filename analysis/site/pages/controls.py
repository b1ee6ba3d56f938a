"""The controls: each promise of the measurement with its criterion, what came, and whether it passes."""

from collections.abc import Sequence

from analysis import controls
from analysis.controls import Control
from analysis.site.pages import Found, figure, texts
from analysis.text import html

MARKS = {True: "✓ passes", False: "✗ fails", None: "? open"}
KINDS = {True: "holds", False: "fails", None: "undecided"}
NOTHING = "No control has been measured yet: nox -s controls measures them, and nox -s docs shows them here."


def page(found: Found) -> str:
    """Return the fragment of the controls' page: all at a glance, then a section for each; machine by machine."""
    if not found.controls:
        known = [(controls.about(module).title, "not measured", "", controls.about(module).criterion)
                 for module in controls.found().values()]  # fmt: skip
        return f"{html.paragraph(NOTHING, 'missing')}\n{_glance('Controls', known)}"
    several = len(found.controls) > 1
    return "\n".join(_machine(found, name, number, several) for number, name in enumerate(found.controls, 1))


def _machine(found: Found, machine: str, number: int, several: bool) -> str:
    judged = found.controls[machine]
    about = {name: controls.about(module) for name, module in controls.found().items()}
    rows = [(about[name].title, mark(each), each.finding, about[name].criterion) for name, each in judged.items()]
    head = f"## Machine {number}\n\n" if several else ""
    sections = [_section(found, machine, name, each, "###" if several else "##") for name, each in judged.items()]
    return "\n".join([head + _glance(f"Controls on {machine}", rows), *sections])


def _glance(caption: str, rows: Sequence[Sequence[str]]) -> str:
    return html.table(caption, ("control", "verdict", "what came", "passes when"), rows, "evidence")


def mark(judged: Control) -> html.Markup:
    """Return a control's verdict as it stands in tables."""
    return html.element("strong", MARKS[judged.passes], kind=f"verdict {KINDS[judged.passes]}")


def _section(found: Found, machine: str, name: str, judged: Control, level: str) -> str:
    about = controls.about(controls.found()[name])
    subject = f" with {judged.subject}" if judged.subject else ""
    measured = f" Measured {judged.measured}{subject}." if judged.measured else ""
    finding = html.paragraph(html.join([mark(judged), " ", judged.finding, measured]))
    parts = [f"{level} {about.title}\n", finding, f"{about.criterion}\n\n{about.method}\n"]
    if judged.picture.figure is not None:
        parts.append(figure(found, "control", name, machine, "../"))
    if not judged.evidence.empty:
        parts.append(html.table("The evidence", list(judged.evidence.columns), texts(judged.evidence), "evidence"))
    return "\n".join(parts)
