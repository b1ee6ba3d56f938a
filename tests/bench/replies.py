"""A worker's reply to a measured run, and lines of a campaign; all are valid."""

from bench.cases import Case
from bench.results import schema

REPLY = {
    "status": "ok", "reason": None, "error_tail": None, "duration_s": 10.0, "import_s": 1.0, "build_s": 0.1,
    "first_step_s": 0.2, "wait_s": 1e-6, "steps_per_block": 20, "warm_up_s": [0.01], "block_s": [0.101, 0.1, 0.102],
    "block_cpu_s": [0.1, 0.1, 0.1], "is_steady": True, "steady_from": 0, "drift": 0.001, "was_doubled": False,
    "loss_first": 2.3, "loss_last": 0.1, "peak_host_memory_bytes": 10**9, "peak_device_memory_bytes": None,
    "code": "0123456789abcdef",
}  # fmt: skip
CASE = Case("mnist_mlp", "pytorch", "train", "eager", "fp32", "nchw", "cpu", 128, "rmsprop", "documented", "random")
RUN = {
    "kind": "run", "campaign": "20261121-010000", "case": CASE._asdict(), "round": 1, "position": 0,
    "started": "2026-11-21T01:00:00Z", "cache": "cold", "seed": 1, "proof": "0123456789abcdef", **REPLY,
}  # fmt: skip
BENCH = {
    "kind": "bench", "campaign": "20261121-010000", "schema_version": 1, "started": "2026-11-21T01:00:00Z",
    "profile": "quick", "budget_s": 0, "seed": 3, "threads": 1, "cases": [], "revision": None, "is_dirty": None,
    "machine": {"name": "test", "cpu": "cpu", "logical_cpus": 2, "memory_bytes": 1, "system": "Linux", "gpu": None,
                "gpu_driver": None},
}  # fmt: skip


def line(record=RUN, **changes):
    """Return a record with some changes as a line; a case may be changed whole."""
    changed = {name: value._asdict() if isinstance(value, Case) else value for name, value in changes.items()}
    return schema.read({**record, **changed})
