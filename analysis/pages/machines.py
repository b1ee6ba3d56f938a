"""The machines: what each campaign ran on, and what was really loaded in each environment."""

from typing import Any

from analysis import html, words
from analysis.pages import NOTHING, Found, facts
from analysis.table import Campaign


def page(found: Found) -> str:
    """Return the fragment of the machines' page."""
    campaigns = [found.results.campaigns[machine] for machine in found.results.machines]
    return "\n".join(_machine(campaign, number) for number, campaign in enumerate(campaigns, 1)) or str(NOTHING)


def _machine(campaign: Campaign, number: int) -> str:
    environments = [campaign.environments[name] for name in sorted(campaign.environments)]
    rows = [
        (each["title"], each["python"], each["device"], _versions(each["loaded"]), _versions(each["variables"]))
        for each in environments
    ]
    header = ("environment", "Python", "device", "loaded", "variables set")
    parts = [
        f"## Machine {number}\n",
        html.table("Machine and campaign", ("fact", "value"), facts(campaign), "facts"),
        *_ceilings(campaign),
        html.table("Environments, with the versions that were really loaded", header, rows, "versions"),
        *(_packages(each) for each in environments),
    ]
    return "\n".join(parts)


def _ceilings(campaign: Campaign) -> list[html.Markup]:
    """Return a table of the most that any environment got out of each device, where that was measured."""
    rows = [
        (device, precision, words.digits(ceiling.flops_s / 1e9), words.digits(ceiling.bytes_s / 1e9))
        for (device, precision), ceiling in sorted(campaign.context.ceilings.items())
    ]
    header = ("device", "precision", "GFLOP/s in a large matrix product", "GB/s read and written in a large array")
    caption = "The most that any environment got out of this machine: what shares of it are shares of"
    return [html.table(caption, header, rows, "facts")] if rows else []


def _versions(values: dict[str, Any]) -> html.Markup:
    lines = [
        html.join([name, " ", html.element("b", str(value))])
        for name, value in sorted(values.items())
        if value is not None
    ]
    return html.Markup("<br>".join(lines))


def _packages(environment: dict[str, Any]) -> str:
    packages = ", ".join(f"{name} {version}" for name, version in sorted(environment["packages"].items()))
    libraries = ", ".join(environment["libraries"])
    summary = html.element("summary", f"Everything installed in {environment['title']}")
    lists = html.join(
        [
            html.element("p", html.safe(f"Packages: {packages}", 8000)),
            html.element("p", html.safe(f"Libraries: {libraries}", 8000)),
        ]
    )
    return f'<details class="packages" data-search-exclude>{summary}{lists}</details>\n'
