"""The table of published trainings on several devices, for the page of the article that has four GPUs."""

from analysis.compare import published_scaling
from analysis.found import Found
from analysis.literature import OTHERS
from analysis.site import template
from analysis.text import html
from analysis.units import digits, share, workload_title

HEADER = ("source", "network", "framework", "devices", "times as fast", "efficiency")
CAPTION = (
    "Published trainings on several GPUs, compared with one GPU. Efficiency is the speed-up over the number of GPUs."
)


def page(_: Found) -> str:
    """Return the fragment."""
    rows = [
        (html.link(OTHERS[each.source], each.source) if each.source in OTHERS else each.table,
         workload_title(each.workload), each.framework, f"{each.devices} x {each.hardware}", digits(each.speed_up),
         share(each.efficiency))
        for each in published_scaling.known()
    ]  # fmt: skip
    return template.render("table.html", caption=CAPTION, header=HEADER, rows=rows, kind="claims")
