"""The machines: what each campaign ran on, and what was really loaded in each environment."""

from typing import Any

from analysis import html
from analysis.pages import NOTHING, Found, facts, reached


def page(found: Found) -> str:
    """Return the fragment of the machines' page."""
    machines = enumerate(found.results.machines, 1)
    return "\n".join(_machine(found, machine, number) for number, machine in machines) or str(NOTHING)


def _machine(found: Found, machine: str, number: int) -> str:
    campaign = found.results.campaigns[machine]
    environments = [campaign.environments[name] for name in sorted(campaign.environments)]
    rows = [
        (each["title"], each["python"], each["device"], _versions(each["loaded"]), _versions(each["variables"]))
        for each in environments
    ]
    header = ("environment", "Python", "device", "loaded", "variables set")
    parts = [
        f"## Machine {number}\n",
        html.table("Machine and campaign", ("fact", "value"), [*facts(campaign), *reached(found, machine)], "facts"),
        html.table("Environments, with the versions that were really loaded", header, rows, "versions"),
        *(_packages(each) for each in environments),
    ]
    return "\n".join(parts)


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
