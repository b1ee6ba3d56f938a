"""What `nox -s check-results` looks at, and what it says: of a published file in which faults were planted just now."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from analysis import checks
from analysis.checks import Given, contribution
from analysis.checks.contribution import Checked
from analysis.load import decode
from analysis.load.campaigns import Runs
from analysis.site.pages import NOTHING, Found
from analysis.text import html
from analysis.text.html import Markup

Lines = list[dict[str, Any]]

MACHINE = "my-machine"
WITHOUT = ("proofs",)  # depends on how much of git's history a clone holds


def page(found: Found) -> str:
    """Return the fragment: the rules, and what they find in an example."""
    rows = [(name, _about(str(module.__doc__))) for name, module in checks.found().items()]
    rules = html.table("The rules, each a file in analysis/checks", ("rule", "what it looks at"), rows, "claims")
    return f"{rules}\n## An example\n\n{_example(found)}"


def _about(docstring: str) -> str:
    return docstring.strip().split("\n")[0]


def _example(found: Found) -> str:
    ended = [each.runs.path for each in found.results.shown if each.end and isinstance(each.runs, Runs)]
    smallest = sorted(ended, key=lambda path: (path.stat().st_size, path))  # all of a large one would be checked
    source = next((path for path in smallest if len(_timed(decode.read(path))) >= len(PLANTED)), None)
    if source is None:
        return str(NOTHING)
    told = contribution.text(Checked(f"results/{MACHINE}", faults(source)))
    planted = "\n".join(f"- {str(plant.__doc__).split('.')[0]}" for plant in PLANTED)
    return (
        f"A published file was copied into a folder `{MACHINE}` when this page was built, and faults were planted into "
        f"the copy:\n\n{planted}\n\nThis is what the command says of it, without the comparison of proofs with git's "
        f"history, which not every clone has:\n\n{_block(told)}"
    )


def faults(source: Path) -> list[checks.Finding]:
    """Return what is found in a copy of a published file with every fault of PLANTED in it."""
    lines = decode.read(source)
    for plant in PLANTED:
        plant(lines)
    with tempfile.TemporaryDirectory(prefix="rosetta-check-") as folder:
        results = Path(folder, "results")
        copy = results / MACHINE / source.name
        for path in (copy, results / source.parent.name / source.name):
            path.parent.mkdir(parents=True, exist_ok=True)  # a machine may have the name of the example
            path.write_bytes(source.read_bytes())
        copy.write_text("".join(json.dumps(line, sort_keys=True) + "\n" for line in lines), encoding="utf-8")
        return contribution.check(Given(results, [copy], source.parent.parent / "parity"), WITHOUT)


def _block(text: str) -> Markup:
    """Return lines as they stand in a terminal."""
    split = [(len(line) - len(line.lstrip()), line.lstrip()) for line in text.split("\n")]
    lines = "\n".join(" " * indent + html.safe(line, 1000) for indent, line in split)
    frame = '<div class="frame" role="region" tabindex="0" aria-label="What the command says" data-search-exclude>'
    return Markup(f'{frame}<pre class="told"><code>{lines}</code></pre></div>\n')


def _timed(lines: Lines) -> Lines:
    return [line for line in lines if line["kind"] == "run" and line["status"] == "ok"]


def milliseconds(lines: Lines) -> None:
    """The times of one run in milliseconds instead of seconds"""
    _timed(lines)[0]["block_s"] = [1000 * block_s for block_s in _timed(lines)[0]["block_s"]]


def words(lines: Lines) -> None:
    """A number that is a text"""
    _timed(lines)[1]["duration_s"] = "four seconds"


def path(lines: Lines) -> None:
    """A path with a user's name in it"""
    lines[-1]["reason"] += " (/home/ada/rosetta-bench)"


def name(lines: Lines) -> None:
    """A name that no name can be"""
    _timed(lines)[2]["case"] = {**_timed(lines)[2]["case"], "mode": "<b>fast</b>"}


PLANTED: tuple[Callable[[Lines], None], ...] = (milliseconds, words, path, name)
