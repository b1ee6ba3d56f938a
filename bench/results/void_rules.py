"""Rules that make a run void because the machine was disturbed.

A void run makes its whole round void, because ratios are taken within rounds. The round is then repeated.
"""

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

MOST_REPEATS = 2  # times per round; after that the round is kept and labelled
LOWEST_CLOCK = 0.75  # share of the device's default SM clock, as in nvbench
OTHERS_SHARE = 0.1  # share of the run's cores
SWAP_GROWTH_BYTES = 64 * 2**20

State = Dict[str, Any]  # a run's `machine_state`


class Rule(NamedTuple):
    """One rule. `broken` returns the finding as text, or None if the rule holds or the value is unknown."""

    name: str
    device: Optional[str]  # device of the runs that the rule applies to; None: all runs
    broken: Callable[[State], Optional[str]]


def _slow_clock(state: State) -> Optional[str]:
    gpu = state["gpu"] or {}
    mean, default = gpu.get("sm_clock_mean_mhz"), gpu.get("sm_clock_default_mhz")
    if mean is None or not default or mean >= LOWEST_CLOCK * default:
        return None
    # normal for this device: tensor cores draw all the power that the card may use
    if "power cap" in gpu["throttle_reasons"]:
        return None
    return "the SM clock was at %.0f %% of its default (required: at least %.0f %%)" % (
        100.0 * mean / default, 100 * LOWEST_CLOCK)  # fmt: skip


def _shared_gpu(state: State) -> Optional[str]:
    processes = (state["gpu"] or {}).get("processes_most") or 0
    return "%d processes computed on the GPU, including this run (expected: 1)" % processes if processes > 1 else None


def _swap(state: State) -> Optional[str]:
    growth = (state["cpu"] or {}).get("swap_growth_bytes") or 0
    if growth <= SWAP_GROWTH_BYTES:
        return None
    return "swap use grew by %.0f MiB (allowed: at most %.0f)" % (growth / 2.0**20, SWAP_GROWTH_BYTES / 2**20)


def _shared_cores(state: State) -> Optional[str]:
    share = (state["cpu"] or {}).get("others_share") or 0.0
    if share <= OTHERS_SHARE:
        return None
    return "other processes used %.0f %% of the run's cores (allowed: at most %.0f %%)" % (
        100 * share, 100 * OTHERS_SHARE)  # fmt: skip


RULES = (
    Rule("sm_clock", "gpu", _slow_clock),
    Rule("gpu_processes", "gpu", _shared_gpu),
    Rule("swap", None, _swap),
    Rule("other_processes", None, _shared_cores),  # for GPU runs too: their steps also wait for a core
)


def broken(run: Dict[str, Any]) -> Optional[Tuple[str, str]]:
    """Return (rule, finding) of the first rule that a run with a time breaks, or None."""
    state = run.get("machine_state")
    if state is None or run["status"] != "ok":
        return None
    for rule in RULES:
        found = rule.broken(state) if rule.device in (None, run["case"]["device"]) else None
        if found:
            return rule.name, found
    return None


def told(lines: List[Dict[str, Any]]) -> str:
    """Return a summary of repeated and kept rounds with the broken rules; "" if `lines` (of kind `void`) is empty."""
    found = []
    for what, own in (
        ("repeated", [line for line in lines if line["kept"] is None]),
        ("kept though disturbed", [line for line in lines if line["kept"]]),
    ):
        rules = sorted({line["rule"].replace("_", " ") for line in own})
        if own:
            found.append("%d %s (%s)" % (len(own), what, ", ".join(rules)))
    return "; ".join(found)
