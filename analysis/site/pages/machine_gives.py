"""What a machine gives at most, and what its devices compute beside what was proven; by its newest campaigns."""

from collections.abc import Sequence
from typing import Any

from analysis import units
from analysis.load.campaigns import Campaign
from analysis.site.pages import UNSEARCHED, details, environment_title
from analysis.text import html

CEILINGS = ("device and precision", "environment", "GFLOP/s in a large matrix product",
            "GB/s read and written in a large array", "share of the best product")  # fmt: skip
ANSWERS = ("workload", "asked", "environment and mode", "device and precision", "campaign", "largest relative errors",
           "verdict")  # fmt: skip


def ceilings(campaigns: Sequence[Campaign]) -> list[html.Markup]:
    """Return what each environment got out of the machine at most, by the newest campaign that measured it."""
    measured = [each for each in campaigns if each.ceilings]
    if not measured:
        sentence = "Not measured: its campaigns are older than that measurement, so shares of this machine are unknown."
        return [html.paragraph(sentence, "missing")]
    newest = measured[-1]
    best = [
        f"{units.digits(ceiling.flops_s / 1e9)} GFLOP/s in {precision} on the {device.upper()} "
        f"({units.digits(ceiling.bytes_s / 1e9)} GB/s in a copy)"
        for (device, precision), ceiling in sorted(newest.context.ceilings.items())
    ]
    told = f"The best environment reached {units.listing(best)}." if best else "No environment could time it."
    finding = f"{told} Shares of a matrix product on this site are shares of that, campaign by campaign."
    ordered = sorted(
        newest.ceilings, key=lambda line: (line["device"], line["precision"], -(line["matmul_flops_s"] or 0.0))
    )
    caption = f"What each environment reached, the fastest of five blocks; campaign {newest.bench['campaign']}"
    return [
        html.paragraph(finding),
        html.table(caption, CEILINGS, [_ceiling(newest, line) for line in ordered], "facts"),
    ]


def computed(campaigns: Sequence[Campaign]) -> list[html.Markup]:
    """Return what was answered on its devices, and in other precisions than float32, by the newest campaign each."""
    newest = {_asked(line): (campaign, line) for campaign in campaigns for line in campaign.answers}
    if not newest:
        return []
    right = sum(line["status"] == "ok" for _, line in newest.values())
    told = (
        f"{right} of {units.count(len(newest), 'program')} computed on its device, or in another precision than "
        "float32, what they have proven on the CPU in float32; the rest gave no time."
    )
    rows = [_answer(*newest[key]) for key in sorted(newest)]
    caption = "Each program's answer beside its own proven one"
    heading = html.Markup(f"## What it computes, beside what was proven{UNSEARCHED}\n")
    return [heading, html.paragraph(told), details.unfolding(caption, html.table(caption, ANSWERS, rows, "facts"))]


def _asked(line: dict[str, Any]) -> tuple[str, ...]:
    names = ("workload", "optimizer", "precision", "device", "environment", "mode")
    return tuple(str(line[name]) for name in names)


def _answer(campaign: Campaign, line: dict[str, Any]) -> list[html.Cell]:
    errors = [f"{kind} {error:.1e}" for kind, error in line["errors"].items() if error is not None]
    return [
        units.workload_title(line["workload"]),
        "inference" if line["optimizer"] == "none" else line["optimizer"],
        f"{environment_title(campaign, line['environment'])}, {line['mode']}",
        f"{line['device']}, {line['precision']}",
        campaign.day,
        ", ".join(errors) or units.NONE,
        "right" if line["status"] == "ok" else html.Wide(html.safe(line["reason"] or line["status"])),
    ]


def _ceiling(campaign: Campaign, line: dict[str, Any]) -> list[html.Cell]:
    device, precision = line["device"], line["precision"]
    named: list[html.Cell] = [f"{device}, {precision}", environment_title(campaign, line["environment"])]
    if line["reason"] is not None:
        return [*named, html.Wide(html.safe(line["reason"]))]
    best = campaign.context.ceilings.get((device, precision))  # none where a file says that nothing was reached
    rates = (units.digits(value / 1e9) for value in (line["matmul_flops_s"], line["copy_bytes_s"]))
    return [*named, *rates, units.share(line["matmul_flops_s"] / best.flops_s if best else None)]
