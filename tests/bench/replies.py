"""What a worker answers that has measured a run: a reply that nothing speaks against."""

REPLY = {
    "status": "ok", "reason": None, "error_tail": None, "duration_s": 10.0, "import_s": 1.0, "build_s": 0.1,
    "first_step_s": 0.2, "wait_s": 1e-6, "steps_per_block": 20, "warm_up_s": [0.01], "block_s": [0.1, 0.1],
    "block_cpu_s": [0.1, 0.1], "is_steady": True, "steady_from": 0, "drift": 0.001, "was_doubled": False,
    "loss_first": 2.3, "loss_last": 0.1, "peak_host_memory_bytes": 10**9, "peak_device_memory_bytes": None,
    "code": "0" * 16,
}  # fmt: skip
