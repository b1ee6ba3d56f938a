"""What several pages say of a cell: its workload with a link, its framework, and what to know about its time."""

from collections.abc import Mapping

from analysis import units
from analysis.estimate.cells import Cell
from analysis.load.table import Results
from analysis.site import links
from analysis.text import sentences
from analysis.text.html import Markup, link, safe
from analysis.units import workload_title
from bench import registry
from bench.compiling import NOTHING

Frameworks = Mapping[tuple[str, str], str]  # (machine, environment) -> framework


def frameworks(found: Results) -> Frameworks:
    """Return the framework of each environment of each machine: as recorded, else as its folder says."""
    folders = {name: each.framework for name, each in registry.environments().items()}
    seen = found.runs[["machine", "environment", "framework"]].drop_duplicates().itertuples(index=False)
    return {(machine, name): recorded or folders.get(name, name) for machine, name, recorded in seen}


def note(cell: Cell) -> str | None:
    """Return why a cell has no time, or what a reader must know about the one it has."""
    if cell.time is None:
        return cell.reason or cell.status
    unsteady = sentences.unsteady(cell) if cell.unsteady else None
    lost = f"{units.count(cell.lost_rounds, 'round')} without a time: {cell.reason}" if cell.lost_rounds else None
    eagerly = sentences.RAN_EAGERLY if cell.compiled == NOTHING else None
    return "; ".join(part for part in (eagerly, unsteady, lost, cell.note) if part) or None


def workload_link(name: str, root: str = "../") -> Markup:
    """Return a workload's title, with a link to its page where it has one; `root` leads to the site's top."""
    title = workload_title(name)
    return link(links.workload(root, name), title) if registry.has_workload(name) else safe(title)
