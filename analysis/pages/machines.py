"""The machines: what each campaign ran on, what state the machine was in, and what was really loaded."""

from collections.abc import Callable, Sequence
from typing import Any

from analysis import html, kept, words
from analysis.pages import NOTHING, Found, facts, reached, sampled, states, void_rounds
from analysis.table import Campaign

STATE = (
    "campaign", "cores busy", "others' share of them", "frequency", "load", "swap in use", "memory left", "GPU",
    "void rounds",
)  # fmt: skip

Summary = dict[str, Any]  # the part of a run's `machine_state` about one device


def page(found: Found) -> str:
    """Return the fragment of the machines' page."""
    machines = enumerate(found.results.machines, 1)
    return "\n".join(_machine(found, machine, number) for number, machine in machines) or str(NOTHING)


def _machine(found: Found, machine: str, number: int) -> str:
    campaign = found.results.campaigns[machine]
    shown = [each for each in found.results.shown if each.machine == machine]
    environments = [campaign.environments[name] for name in sorted(campaign.environments)]
    rows = [
        (each["title"], each["python"], each["device"], _versions(each["loaded"]), _versions(each["variables"]))
        for each in environments
    ]
    header = ("environment", "Python", "device", "loaded", "variables set")
    parts = [
        f"## Machine {number}\n",
        html.table("Machine and campaign", ("fact", "value"), [*facts(campaign), *reached(found, machine)], "facts"),
        html.table("The machine's state while it measured: the range over runs", STATE, map(_state, shown), "states"),
        *_ceilings(campaign),
        html.table("Environments, with the versions that were really loaded", header, rows, "versions"),
        *(_packages(each) for each in environments),
    ]
    return "\n".join(parts)


def _state(campaign: Campaign) -> list[html.Cell]:
    """Return a campaign's row: what its runs found, or what could not be sampled."""
    found, name = extremes(campaign), str(campaign.bench["campaign"])
    if not found:
        return [name, html.Wide(html.safe(sampled(campaign)))]
    cpu = [each["cpu"] for each in found if each["cpu"]]
    return [
        name,
        _range(_values(cpu, "utilisation"), "%", 0.01),
        _range(_values(cpu, "others_share"), "%", 0.01),
        _range(_values(cpu, "frequency_lowest_mhz", "frequency_mean_mhz"), "MHz"),
        _range(_values(cpu, "load_highest")),
        _range(_values(cpu, "swap_highest_bytes"), "GiB", 2.0**30),
        _range(_values(cpu, "free_memory_lowest_bytes"), "GiB", 2.0**30),
        _gpu([each["gpu"] for each in found if each["gpu"]]),
        void_rounds(campaign),
    ]


def extremes(campaign: Campaign) -> list[dict[str, Any]]:
    """Return two states that hold the lowest and the highest number over all runs of a campaign; none where none is."""
    found: list[dict[str, Any]] = kept.recall("states", [campaign.source], lambda: _extremes(states(campaign)))
    return found


def _extremes(found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    devices = {device: [each[device] for each in found if each[device]] for device in ("cpu", "gpu")}
    return (
        [{device: _extreme(known, bound) for device, known in devices.items()} for bound in (min, max)] if found else []
    )


def _extreme(known: Sequence[Summary], bound: Callable[[list[Any]], Any]) -> Summary | None:
    if not known:
        return None
    columns = {name: [each[name] for each in known if each[name] is not None] for name in known[0]}
    return {name: _all(values) if name == "throttle_reasons" else bound(values) if values else None
            for name, values in columns.items()}  # fmt: skip


def _all(reasons: Sequence[Sequence[str]]) -> list[str]:
    return sorted({word for each in reasons for word in each})


def _gpu(found: Sequence[Summary]) -> str:
    if not found:
        return words.NONE
    reasons = words.listing(sorted({word for each in found for word in each["throttle_reasons"]}))
    parts = [
        f"SM clock {_range(_values(found, 'sm_clock_lowest_mhz', 'sm_clock_mean_mhz'), 'MHz')}",
        f"mean power {_range(_values(found, 'power_mean_w'), 'W')}",
        f"hottest {_range(_values(found, 'temperature_highest_c'), '°C')}",
        f"held down by {reasons}" if reasons else "not throttled",
    ]
    return "; ".join(parts)


def _values(found: Sequence[Summary], *names: str) -> list[float]:
    """Return what is known of some fields, over all runs."""
    return [each[name] for each in found for name in names if each[name] is not None]


def _range(values: Sequence[float], unit: str = "", size: float = 1.0) -> str:
    """Return the lowest and the highest value, in `unit` of `size`."""
    if not values:
        return words.NONE
    low, high = (words.digits(bound(values) / size) for bound in (min, max))
    return f"{low if low == high else f'{low} to {high}'} {unit}".strip()


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
