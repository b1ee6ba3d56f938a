"""When a run is void: rules declared before anything is measured, and what follows from them.

A run that breaks a rule voids its whole round, since ratios are taken within rounds: the round is repeated.
"""

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

MOST_REPEATS = 2  # of one round; then it is kept, and labelled
LOWEST_CLOCK = 0.75  # of the device's default SM clock, as nvbench has it
OTHERS_SHARE = 0.1  # of the run's cores
SWAP_GROWTH_BYTES = 64 * 2**20

State = Dict[str, Any]  # a run's `machine_state`


class Rule(NamedTuple):
    """One rule: `broken` returns what was found, in words, or None; also where it cannot be known."""

    name: str
    device: Optional[str]  # of the runs it is for; None: all
    broken: Callable[[State], Optional[str]]


def _slow_clock(state: State) -> Optional[str]:
    gpu = state["gpu"] or {}
    mean, default = gpu.get("sm_clock_mean_mhz"), gpu.get("sm_clock_default_mhz")
    if mean is None or not default or mean >= LOWEST_CLOCK * default:
        return None
    if "power cap" in gpu["throttle_reasons"]:  # tensor cores at work draw all that a card may: such is this device
        return None
    return "the SM clock was at %.0f %% of its default (at least %.0f %% is wanted)" % (
        100.0 * mean / default, 100 * LOWEST_CLOCK)  # fmt: skip


def _shared_gpu(state: State) -> Optional[str]:
    processes = (state["gpu"] or {}).get("processes_most") or 0
    return "%d processes computed on the GPU (the run's own is one)" % processes if processes > 1 else None


def _swap(state: State) -> Optional[str]:
    growth = (state["cpu"] or {}).get("swap_growth_bytes") or 0
    if growth <= SWAP_GROWTH_BYTES:
        return None
    return "%.0f MiB more swap came into use (at most %.0f are allowed)" % (growth / 2.0**20, SWAP_GROWTH_BYTES / 2**20)


def _shared_cores(state: State) -> Optional[str]:
    share = (state["cpu"] or {}).get("others_share") or 0.0
    if share <= OTHERS_SHARE:
        return None
    return "other processes used %.0f %% of the run's cores (at most %.0f %% is allowed)" % (
        100 * share, 100 * OTHERS_SHARE)  # fmt: skip


RULES = (
    Rule("sm_clock", "gpu", _slow_clock),
    Rule("gpu_processes", "gpu", _shared_gpu),
    Rule("swap", None, _swap),
    Rule("other_processes", None, _shared_cores),  # a GPU's steps wait for a core as well
)


def broken(run: Dict[str, Any]) -> Optional[Tuple[str, str]]:
    """Return (rule, what was found) of the first rule that a run with a time breaks, or None."""
    state = run.get("machine_state")
    if state is None or run["status"] != "ok":
        return None
    for rule in RULES:
        found = rule.broken(state) if rule.device in (None, run["case"]["device"]) else None
        if found:
            return rule.name, found
    return None


def told(lines: List[Dict[str, Any]]) -> str:
    """Return what became of the rounds of these `void` lines, with the rules they broke; nothing without a line."""
    found = []
    for what, own in (
        ("repeated", [line for line in lines if line["kept"] is None]),
        ("kept though disturbed", [line for line in lines if line["kept"]]),
    ):
        rules = sorted({line["rule"].replace("_", " ") for line in own})
        if own:
            found.append("%d %s (%s)" % (len(own), what, ", ".join(rules)))
    return "; ".join(found)
