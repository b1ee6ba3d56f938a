"""Build synthetic campaigns: valid result lines with planted times, so that tests know the truth."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from analysis.load.campaigns import Campaign, campaign_of
from bench.results import lines as line_classes
from bench.results.lines import Line

Record = dict[str, Any]
GPU = {
    "utilisation": 0.9, "sm_clock_mean_mhz": 1800.0, "sm_clock_lowest_mhz": 1200, "sm_clock_default_mhz": None,
    "memory_clock_mean_mhz": None, "power_mean_w": 512.5, "power_highest_w": None, "temperature_highest_c": 71,
    "throttle_reasons": ["power cap"], "memory_highest_bytes": 1, "processes_most": 1, "energy_j": None,
    "energy_window_s": None,
}  # fmt: skip
Times = Callable[[Record, int], float | str]  # (case, round) -> seconds per step, or the status of a run without a time

LOOKS = {"red": ("#d55e00", "o"), "blue": ("#0072b2", "s"), "green": ("#009e73", "D"), "gold": ("#e69f00", "^")}
MODES = {"eager": False, "compiled": True}
BLOCKS = 5


def case(environment: str, mode: str = "eager", **changes: Any) -> Record:
    """Return one case."""
    usual = {
        "workload": "mnist_mlp", "environment": environment, "task": "train", "mode": mode, "precision": "fp32",
        "layout": "nhwc", "device": "cpu", "batch_size": 128, "optimizer": "rmsprop", "tier": "documented",
        "data": "random",
    }  # fmt: skip
    return {**usual, **changes}


def bench(
    cases: list[Record], campaign: str = "2026-11-20 0900", machine: str = "test-machine", profile: str = "quick"
) -> Record:
    """Return the first line of a campaign."""
    about = {
        "name": machine,
        "cpu": "Test CPU at 3 GHz",
        "logical_cpus": 8,
        "memory_bytes": 16 * 2**30,
        "system": "Linux 6.1",
        "gpu": None,
        "gpu_driver": None,
    }
    started = f"{campaign[:10]}T{campaign[11:13]}:{campaign[13:15]}:00Z"
    return {
        "kind": "bench",
        "campaign": campaign,
        "schema_version": 1,
        "started": started,
        "profile": profile,
        "budget_s": 300.0,
        "seed": 1,
        "threads": 4,
        "cases": cases,
        "revision": "0" * 40,
        "is_dirty": False,
        "machine": about,
    }


def environment(name: str, campaign: str = "2026-11-20 0900", **changes: Any) -> Record:
    """Return the line of one environment, with both modes and its own looks."""
    color, marker = LOOKS.get(name, ("#7f7f7f", "X"))
    usual = {
        "kind": "environment",
        "campaign": campaign,
        "environment": name,
        "title": name.title() + " 1.0",
        "framework": name,
        "color": color,
        "marker": marker,
        "default_mode": "eager",
        "modes": MODES,
        "python": "3.11.7",
        "device": "cpu",
        "loaded": {name: "1.0.0"},
        "packages": {name: "1.0.0", "numpy": "2.4.6"},
        "libraries": ["libopenblas.so"],
        "variables": {},
    }
    return {**usual, **changes}


def over_data(name: str, mode: str = "eager", **changes: Any) -> Record:
    """Return one case of training over a data set."""
    return case(name, mode, **{"task": "epochs", "data": "mnist-stand-in", **changes})


def fed(name: str, loader: str = "", **changes: Any) -> Record:
    """Return one case of training on photographs, by a loader or from memory."""
    about = {"workload": "photo_cnn", "task": "feed", "optimizer": "sgd", "tier": "ablation", "batch_size": 32}
    mode = f"eager+{loader}" if loader else "eager"
    return case(name, mode, **{**about, "data": "photographs-stand-in-96", **changes})


def epochs(
    about: Record, number: int, epoch_s: float | str, seed: int = 0, final: float = 0.9, **changes: Any
) -> Record:
    """Return one run over a data set: three epochs, the first twice as long, that end with the score `final`."""
    usual = run(about, number, epoch_s, seed, **changes)
    for name in ("warm_up_s", "wait_s", "steps_per_block", "block_s", "block_cpu_s", "is_steady", "steady_from",
                 "drift", "was_doubled"):  # fmt: skip
        del usual[name]
    is_ok = not isinstance(epoch_s, str)
    steps = 10
    losses = [2.3, 1.2, 0.9] if about["task"] == "fit" else [2.3 - 0.05 * step for step in range(3 * steps)]
    lists = {
        "epoch_s": [2.0 * float(epoch_s), float(epoch_s), float(epoch_s)] if is_ok else [],
        "evaluation_s": [0.1] * 3 if is_ok else [],
        "losses": losses if is_ok else [],
        "test_scores": [final - 0.2, final - 0.1, final] if is_ok else [],
    }
    score = "accuracy" if is_ok else None
    made = {**usual, **lists, "kind": "epochs", "score": score, "steps_per_epoch": steps if is_ok else None}
    return {**made, **_feeding(about, float(epoch_s))} if is_ok and about["task"] == "feed" else made


def _feeding(about: Record, pass_s: float) -> Record:
    """Return the additional fields of a fed run: half of each pass waits, two cores are busy, and a GPU for 40 %."""
    has_loader, gpu = "+" in about["mode"], 0.4 if about["device"] == "gpu" else None
    return {"score": None, "test_scores": [], "evaluation_s": [], **_converted(about, pass_s),
            "loading_s": [pass_s / 2] * has_loader, "loading_cold_s": pass_s if has_loader else None,
            "loading_bytes": 10 * 2**20 if has_loader else None, "storage": "ext4, rotational" if has_loader else None,
            "waiting_s": [pass_s, pass_s / 2, pass_s / 2] * has_loader,
            "utilization": [[0.2 * place, 2.0, gpu] for place in range(1, 6)]}  # fmt: skip


def _converted(about: Record, pass_s: float) -> Record:
    is_converted = about["mode"].endswith("_records")
    return {"conversion_s": 3 * pass_s if is_converted else None,
            "conversion_bytes": 5 * 2**20 if is_converted else None}  # fmt: skip


def run(
    about: Record, number: int, step_s: float | str, seed: int = 0, campaign: str = "2026-11-20 0900", **changes: Any
) -> Record:
    """Return one run: blocks around `step_s`, or a run with that status and no time."""
    steps = 10
    is_ok = not isinstance(step_s, str)
    noise = np.random.default_rng(seed).normal(1, 0.002, BLOCKS) if is_ok else []
    blocks = [float(step_s * steps * factor) for factor in noise] if not isinstance(step_s, str) else []
    first = float(step_s) * (200 if MODES.get(about["mode"]) else 8) if not isinstance(step_s, str) else None
    usual = {
        "kind": "run",
        "campaign": campaign,
        "case": about,
        "round": number,
        "position": 0,
        "started": "2026-11-20T09:01:00Z",
        "duration_s": 20.0 + 2 * (sum(blocks) + (first or 0.0)),  # more than all that is timed in it
        "cache": "cold" if number == 1 else "warm",
        "seed": 1,
        "status": "ok" if is_ok else step_s,
        "reason": None if is_ok else "it was planted",
        "error_tail": None,
        "proof": "0" * 16 if is_ok else None,
        "code": "0" * 16 if is_ok else None,
        "import_s": 1.0 if is_ok else None,
        "build_s": 0.5 if is_ok else None,
        "first_step_s": first,
        "warm_up_s": [],
        "wait_s": 1e-6 if is_ok else None,
        "steps_per_block": steps if is_ok else None,
        "block_s": blocks,
        "block_cpu_s": [3.5 * block for block in blocks],
        "is_steady": True if is_ok else None,
        "steady_from": 0 if is_ok else None,
        "drift": 0.001 if is_ok else None,
        "was_doubled": False if is_ok else None,
        "loss_first": 2.3 if is_ok else None,
        "loss_last": 1.1 if is_ok else None,
        "peak_host_memory_bytes": 400 * 2**20 if is_ok else None,
        "peak_device_memory_bytes": None,
    }
    return {**usual, **changes}


def void(about: Record, number: int, campaign: str = "2026-11-20 0900", **changes: Any) -> Record:
    """Return the line that makes a round void; with `kept`, a label."""
    usual = {
        "kind": "void",
        "campaign": campaign,
        "round": number,
        "attempt": 1,
        "rule": "other_processes",
        "reason": "other processes used 23 % of the run's cores",
        "case": about,
        "kept": None,
    }
    return {**usual, **changes}


def ceiling(
    environment: str = "red", flops_s: float = 1e12, bytes_s: float = 1e10, campaign: str = "2026-11-20 0900"
) -> Record:
    """Return the line of the best that an environment reached on the machine's processor."""
    return {"kind": "ceiling", "campaign": campaign, "environment": environment, "device": "cpu", "precision": "fp32",
            "matmul_flops_s": flops_s, "copy_bytes_s": bytes_s, "reason": None}  # fmt: skip


def state(others_share: float = 0.02, gpu: Record | None = None, **changes: Any) -> Record:
    """Return the machine's state during a run."""
    cpu = {
        "utilisation": 0.9, "others_share": others_share, "frequency_mean_mhz": 3000.0,
        "frequency_lowest_mhz": 2500.0, "load_highest": 2.0, "swap_highest_bytes": 0, "swap_growth_bytes": 0,
        "free_memory_lowest_bytes": 4 * 2**30,
    }  # fmt: skip
    return {"samples": 40, "sampler_share": 0.002, "cpu": {**cpu, **changes}, "gpu": gpu}


def end(campaign: str = "2026-11-20 0900", reason: str = "the budget was spent") -> Record:
    """Return the last line of a finished campaign."""
    return {"kind": "end", "campaign": campaign, "ended": "2026-11-20T09:30:00Z", "rounds": 5, "reason": reason}


def lines(cases: list[Record], times: Times, rounds: int = 5, seed: int = 0, **about: Any) -> list[Record]:
    """Return a whole campaign; `times` gives each run's planted time."""
    name = about.get("campaign", "2026-11-20 0900")
    names = sorted({each["environment"] for each in cases})
    runs = [
        (epochs if each["task"] in ("epochs", "fit", "feed") else run)(
            each, number, times(each, number), seed=seed + 1000 * number + place, campaign=name
        )
        for number in range(1, rounds + 1)
        for place, each in enumerate(cases)
    ]
    return [bench(cases, **about), *(environment(each, name) for each in names), *runs, end(name)]


def changed(made: list[Record], kind: str, **fields: Any) -> list[Record]:
    """Return lines of which all of a kind say something else."""
    return [{**line, **fields} if line["kind"] == kind else line for line in made]


def documenting(made: list[Record], **modes: str) -> list[Record]:
    """Return lines whose environments name a default mode for each of some tasks."""
    return changed(made, "environment", default_modes=modes)


def remade(made: list[Record], code: str = "1" * 16) -> list[Record]:
    """Return lines whose runs measured other code."""
    return [{**line, "code": code} if line["kind"] in ("run", "epochs") and line["code"] else line for line in made]


def in_turns(made: list[Record]) -> list[Record]:
    """Return lines whose runs took turns with their rivals, a block each."""
    return _of_blocks(made, "block_order", 0)


def slowed(made: list[Record], slowdown: float) -> list[Record]:
    """Return lines whose runs had each block on cores that a neighbour slowed by so much; hardly above 1 is quiet."""
    return _of_blocks(made, "block_slowdown", slowdown)


def _of_blocks(made: list[Record], field: str, value: float) -> list[Record]:
    """Return lines whose runs say the same of each of their blocks."""
    return [{**line, field: [value] * len(line["block_s"])} if line["kind"] == "run" else line for line in made]


def always(time: float | str) -> Times:
    """Return the same planted time, or the same failure, for every run."""
    return lambda _about, _number: time


def noisy(truth: dict[str, float], noise: float = 0.01, seed: int = 0) -> Times:
    """Return planted times by environment, with a shared drift per round and independent noise per run."""
    random = np.random.default_rng(seed)
    drift = random.normal(1, 0.05, 100)
    return lambda about, number: float(truth[about["environment"]] * drift[number] * random.normal(1, noise))


def typed(records: list[Record]) -> list[Line]:
    """Return records as reading a file gives them."""
    return [line_classes.read(record) for record in records]


def of(records: list[Record]) -> Campaign:
    """Return the campaign of some records."""
    return campaign_of(typed(records))


def write(folder: Path, records: list[Record]) -> Path:
    """Write a campaign where a results folder would have it; returns the results folder."""
    path = folder / records[0]["machine"]["name"] / (records[0]["campaign"].replace(" ", "T") + ".jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return folder
