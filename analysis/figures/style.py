"""What all figures share: looks, light and dark in one SVG, and files that change only when the picture does.

seaborn gives these figures their style. The intervals are computed elsewhere, from ratios paired within rounds. Each
environment has the marker and colour that its folder states.
"""

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

import pandas as pd
import seaborn as sns
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullLocator

from bench import registry
from bench.results import lines

# Stand-ins, replaced in the saved text by variables that follow the reader's scheme.
INK, GRID = "#010203", "#040506"
DRAWN_IN = "DejaVu Sans"  # comes with Matplotlib: the same places of words on every machine
FONTS = f"system-ui, -apple-system, 'Segoe UI', Roboto, '{DRAWN_IN}', sans-serif"
SCHEMES = (
    f"text{{font-family:{FONTS}}}"
    ":root{--ink:#262626;--grid:#c4c7cf;--paper:#fff}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e2e4e9;--grid:#4a4d57;--paper:#1e2129}}"
)
NEEDLESS = re.compile(
    r"""<metadata>.*?</metadata>|(?<=<g) id="[^"]*"| transform="rotate\(-0 [^"]*"|(?<=\n) +""", re.DOTALL
)
GROUP = re.compile(r"<g( [^>]*)?>\n?|</g>\n?")
NAME = re.compile(r"\b[mp][0-9a-f]{10}\b")  # of a mark or a clip path, by a hash of what it looks like
STROKE = re.compile(r" ?\n([LMQCz])[ \n]")  # of a path, on a line of its own
TAG, FINE, STYLE_ATTRIBUTE = re.compile("<[^>]+>"), re.compile(r"(\.\d\d)\d+"), re.compile(r'style="([^"]*)"')
WIDTH = 7.6  # inches of 72 points: as wide as a page's text
STYLE: dict[Any, Any] = {
    "savefig.format": "svg", "svg.fonttype": "none", "svg.hashsalt": "rosetta-bench", "text.parse_math": False,
    "font.family": DRAWN_IN, "font.size": 9, "text.color": INK, "axes.edgecolor": GRID, "axes.labelcolor": INK,
    "xtick.color": INK, "ytick.color": INK,
    "xtick.labelcolor": INK, "ytick.labelcolor": INK, "grid.color": GRID, "grid.linewidth": 0.6, "axes.titlesize": 10,
    "axes.titleweight": "bold", "axes.titlelocation": "left", "axes.facecolor": "none", "figure.facecolor": "none",
    "axes.grid": True, "axes.grid.axis": "x", "axes.axisbelow": True, "legend.frameon": False,
    "ytick.left": False, "axes.spines.left": False, "axes.spines.right": False, "axes.spines.top": False,
    "figure.constrained_layout.use": True,
}  # fmt: skip

Keywords = Mapping[str, Any]  # of a line and its marker in Matplotlib


class Picture(NamedTuple):
    """A figure with its data and its words."""

    figure: Figure
    data: pd.DataFrame
    alt: str


class Saved(NamedTuple):
    """A picture's file name without its ending, its two files, its size in CSS pixels, and its words."""

    name: str
    svg: str
    csv: str
    size: tuple[int, int]
    alt: str


class Look(NamedTuple):
    """How a competitor is drawn: the environment's colour and marker."""

    color: str
    marker: str

    def marks(self, size: float = 6.5) -> Keywords:
        """Return the keywords of a marker of `size` points; its edge is never the colour alone."""
        return {"marker": self.marker, "markerfacecolor": self.color, "markeredgecolor": INK, "markersize": size,
                "markeredgewidth": 0.6}  # fmt: skip


UNKNOWN = Look("#7f7f7f", "o")  # of an environment without a framework's folder and a line


@contextmanager
def style() -> Iterator[None]:
    """Draw with the project's looks."""
    with sns.axes_style("ticks"), rc_context(STYLE):
        yield


def look_of(environment: str, line: lines.Environment | None) -> Look:
    """Return an environment's look: that of its framework's folder, else of its line; grey without either.

    So an environment looks the same in all figures, whichever machine it was measured on.
    """
    source = registry.environments().get(environment) or line or UNKNOWN
    return Look(source.color, source.marker if source.marker in Line2D.filled_markers else UNKNOWN.marker)


def rows(axes: Axes, labels: Sequence[str], values: Sequence[float], points: float | None = None) -> None:
    """Label the rows of a panel from top to bottom, over a logarithmic axis of ratios with a line at 1."""
    axes.set_yticks(range(len(labels)), labels, fontsize=points)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    log_scale(axes, [1.0, *values])
    axes.axvline(1, color=INK, linewidth=0.8)


def legend(figure: Figure, names: Iterable[tuple[str, Keywords]], columns: int, points: float, **more: Any) -> None:
    """Show names below a figure, each with the keywords of its line and marker; `points` is the size of the text."""
    handles = [Line2D([], [], label=name, **look) for name, look in names]
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, fontsize=points, **more)


def log_scale(axes: Axes, values: Sequence[float], axis: str = "x") -> None:
    """Use a logarithmic axis with plain numbers, wide enough that the outer marks stay inside."""
    low, high = min(values), max(values)
    pad = max((high / low) ** 0.06, 1.06)
    side = axes.xaxis if axis == "x" else axes.yaxis
    (axes.set_xscale if axis == "x" else axes.set_yscale)("log")
    (axes.set_xlim if axis == "x" else axes.set_ylim)(low / pad, high * pad)
    fine = (1, 1.5, 2, 3, 4, 5, 6, 8) if high / low < 6 else (1, 2, 5)
    side.set_major_locator(LogLocator(subs=fine, numticks=12))
    side.set_major_formatter(lambda value, _: f"{value:,.6f}".rstrip("0").rstrip("."))
    side.set_minor_locator(NullLocator())


def svg(figure: Figure, title: str, alt: str) -> str:
    """Return a figure as SVG text that follows the reader's colour scheme and is the same on every run."""
    buffer = io.StringIO()
    with style():
        if engine := figure.get_layout_engine():  # fix the layout, which depends on the widths of words, only once
            engine.execute(figure)
        with rc_context({"figure.constrained_layout.use": False}):
            figure.set_layout_engine(None)
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    text = buffer.getvalue().replace(INK, "var(--ink)").replace(GRID, "var(--grid)")
    text, styles = compact(text.replace(f"; font-family: '{DRAWN_IN}'", ""))
    start = text.index(">", text.index("<svg")) + 1
    words = f"<title>{escape(title)}</title>\n<desc>{escape(alt)}</desc>"
    return f"{text[:start]}\n{words}\n<style>{SCHEMES}{styles}</style>{text[start:]}"


def compact(text: str) -> tuple[str, str]:
    """Return Matplotlib's SVG text a third as long and looking the same, and the rules of its classes.

    Each style is written once, coordinates are rounded to hundredths of a point, and marks are named by a number.
    Groups lose names that nothing refers to, and disappear if they have nothing else.
    """
    classes: dict[str, str] = {}
    names: dict[str, str] = {}
    text = TAG.sub(lambda tag: STROKE.sub(r"\1", FINE.sub(r"\1", tag[0])), NEEDLESS.sub("", text))
    text = NAME.sub(lambda name: names.setdefault(name[0], f"i{len(names)}"), text)
    text = STYLE_ATTRIBUTE.sub(lambda style: f'class="{classes.setdefault(style[1], f"s{len(classes)}")}"', text)
    return _without_bare_groups(text), "".join(f".{name}{{{style}}}" for style, name in classes.items())


def _without_bare_groups(text: str) -> str:
    says: list[bool] = []  # of the groups that are open, whether they have attributes

    def kept(tag: re.Match[str]) -> str:
        if tag[0].startswith("<g"):
            says.append(tag[1] is not None)
            return tag[0] if says[-1] else ""
        return tag[0] if says.pop() else ""

    return GROUP.sub(kept, text)


def pixels(figure: Figure) -> tuple[int, int]:
    """Return a figure's width and height in CSS pixels."""
    width, tall = figure.get_size_inches()
    return round(width * 96), round(tall * 96)
