"""Rules that make a run void because the machine was disturbed, and the runs that count.

A void run makes its whole round void, because ratios are taken within rounds. The round is then repeated.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from bench.results.lines import Epochs, Line, MachineState, Run, Void

MOST_REPEATS = 2  # times per round; after that the round is kept and labelled
LOWEST_CLOCK = 0.75  # share of the device's default SM clock, as in nvbench
OTHERS_SHARE = 0.1  # share of the run's cores
SWAP_GROWTH_BYTES = 64 * 2**20
QUIET = 1.4  # limit of a core's slowdown before a block (bench/driver/neighbours.py); beside a neighbour it is about 2


class Rule(NamedTuple):
    """One rule. `broken` returns the finding as text, or None if the rule holds or the value is unknown."""

    name: str
    device: str | None  # device of the runs that the rule applies to; None: all runs
    broken: Callable[[MachineState], str | None]


def _slow_clock(state: MachineState) -> str | None:
    if state.gpu is None:
        return None
    mean, default = state.gpu.sm_clock_mean_mhz, state.gpu.sm_clock_default_mhz
    if mean is None or not default or mean >= LOWEST_CLOCK * default:
        return None
    # normal for this device: tensor cores draw all the power that the card may use
    if "power cap" in state.gpu.throttle_reasons:
        return None
    percent = 100.0 * mean / default
    return f"the SM clock was at {percent:.0f} % of its default (required: at least {100 * LOWEST_CLOCK:.0f} %)"


def _shared_gpu(state: MachineState) -> str | None:
    processes = state.gpu.processes_most if state.gpu else None
    if not processes or processes == 1:
        return None
    return f"{processes} processes computed on the GPU, including this run (expected: 1)"


def _swap(state: MachineState) -> str | None:
    growth = state.cpu.swap_growth_bytes if state.cpu else None
    if not growth or growth <= SWAP_GROWTH_BYTES:
        return None
    return f"swap use grew by {growth / 2.0**20:.0f} MiB (allowed: at most {SWAP_GROWTH_BYTES / 2**20:.0f})"


def _shared_cores(state: MachineState) -> str | None:
    share = state.cpu.others_share if state.cpu else None
    if not share or share <= OTHERS_SHARE:
        return None
    percent = 100 * share
    return f"other processes used {percent:.0f} % of the run's cores (allowed: at most {100 * OTHERS_SHARE:.0f} %)"


RULES = (
    Rule("sm_clock", "gpu", _slow_clock),
    Rule("gpu_processes", "gpu", _shared_gpu),
    Rule("swap", None, _swap),
    Rule("other_processes", None, _shared_cores),  # for GPU runs too: their steps also wait for a core
)


def broken(run: Run | Epochs) -> tuple[str, str] | None:
    """Return (rule, finding) of the first rule that a run with a time breaks, or None."""
    state = run.machine_state
    if state is None or run.status != "ok":
        return None
    for rule in RULES:
        finding = rule.broken(state) if rule.device in (None, run.case.device) else None
        if finding:
            return rule.name, finding
    return None


Rounds = Mapping[tuple[str | None, int], int]  # (question, round): place of the last line that makes it void


def void_rounds(content: Iterable[tuple[int, Line]]) -> Rounds:
    """Return the void rounds of a campaign; its lines come with their places, in order.

    In older results without turns, a round covers all questions, and its question is None.
    """
    voids = ((place, line) for place, line in content if isinstance(line, Void) and line.kept is None)
    return {(line.question, line.round): place for place, line in voids}


def stands(run: Run | Epochs, place: int, void: Rounds) -> bool:
    """Return whether a run counts: false if its time belongs to a round that became void later.

    Runs without a time keep their reason and count.
    """
    if run.status != "ok" or not void:
        return True
    return all(place > void.get((question, run.round), -1) for question in (None, run.case.question))


def standing(content: Iterable[Line]) -> list[Run | Epochs]:
    """Return the runs, of both kinds, that count."""
    placed = list(enumerate(content))
    void = void_rounds(placed)
    return [line for place, line in placed if isinstance(line, (Run, Epochs)) and stands(line, place, void)]


def told(voids: Sequence[Void]) -> str:
    """Return a summary of repeated and kept rounds with the broken rules; "" without voids."""
    parts = []
    for what, lines in (
        ("repeated", [line for line in voids if line.kept is None]),
        ("kept though disturbed", [line for line in voids if line.kept]),
    ):
        rules = sorted({line.rule.replace("_", " ") for line in lines})
        if lines:
            parts.append(f"{len(lines)} {what} ({', '.join(rules)})")
    return "; ".join(parts)
