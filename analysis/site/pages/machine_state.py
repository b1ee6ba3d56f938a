"""What state a machine was in while it measured: over all its campaigns, and by campaign the range over runs."""

from collections.abc import Sequence
from typing import Any

from analysis import units
from analysis.load.campaigns import Campaign
from analysis.site.pages import sampled, void_rounds
from analysis.text import html

STATE = (
    "campaign", "cores busy", "others' share of them", "blocks slowed", "frequency", "load", "swap in use",
    "memory left", "GPU", "void rounds",
)  # fmt: skip

Summary = dict[str, Any]  # the part of a run's `machine_state` about one device


def states(campaigns: Sequence[Campaign]) -> list[html.Markup]:
    """Return how busy a machine was, and a table of its state, a row for each campaign."""
    caption = "The machine's state while it measured: the range over runs"
    return [html.paragraph(_busy(campaigns)), html.table(caption, STATE, map(_state, campaigns), "states")]


def _busy(campaigns: Sequence[Campaign]) -> str:
    """Return how busy the machine was over all its campaigns, and with what else."""
    known = [each["cpu"] for own in campaigns for each in own.outcomes.states if each["cpu"]]
    busy, others = _values(known, "utilisation"), _values(known, "others_share")
    if not busy:
        return "How busy it was could not be sampled."
    most = f"at most {units.share(max(others))} of them" if others else "an unknown share"
    return f"Its runs kept their cores {_range(busy, '%', 0.01)} busy; {most} went to other processes."


def _state(campaign: Campaign) -> list[html.Cell]:
    """Return a campaign's row: what its runs found, or what could not be sampled."""
    found, name, slowed = campaign.outcomes.states, campaign.name, campaign.outcomes.slowed_share
    if not found:
        return [name, html.Wide(html.safe(sampled(campaign)))]
    cpu = [each["cpu"] for each in found if each["cpu"]]
    return [
        name,
        _range(_values(cpu, "utilisation"), "%", 0.01),
        _range(_values(cpu, "others_share"), "%", 0.01),
        units.NONE if slowed is None else units.share(slowed),
        _range(_values(cpu, "frequency_lowest_mhz", "frequency_mean_mhz"), "MHz"),
        _range(_values(cpu, "load_highest")),
        _range(_values(cpu, "swap_highest_bytes"), "GiB", 2.0**30),
        _range(_values(cpu, "free_memory_lowest_bytes"), "GiB", 2.0**30),
        _gpu([each["gpu"] for each in found if each["gpu"]]),
        void_rounds(campaign),
    ]


def _gpu(found: Sequence[Summary]) -> str:
    if not found:
        return units.NONE
    reasons = units.listing(sorted({word for each in found for word in each["throttle_reasons"]}))
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
        return units.NONE
    low, high = (units.digits(bound(values) / size) for bound in (min, max))
    return f"{low if low == high else f'{low} to {high}'} {unit}".strip()
