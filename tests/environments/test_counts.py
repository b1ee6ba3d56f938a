"""What a step costs is what a framework's own counter finds, and a device's ceiling can be timed."""

import os

import pytest

from bench import ceiling, costs, registry

pytestmark = pytest.mark.environment


@pytest.mark.parametrize("task", ["infer", "train"])
@pytest.mark.parametrize("workload", registry.workload_names())
def test_a_workload_costs_what_the_framework_counts(workload, task, environment, ask):
    row, _ = environment
    problem = registry.workload(workload)
    if "count_flops" not in registry.control_names(row):
        pytest.skip(f"{row.title} has no counter of FLOPs")
    if not os.path.exists(registry.model_path(row, workload)) or (task == "train" and not problem.OPTIMIZERS):
        pytest.skip(f"{row.title} does not {task} {workload}")
    reply = ask("count", workload=workload, task=task)
    assert reply["status"] == "ok", reply
    if reply["flops"] is None:
        pytest.skip(f"{row.title} cannot count what {workload} does")
    assert reply["flops"] / costs.flops(workload, task, problem.BATCH_SIZES[0]) == pytest.approx(
        1, abs=reply["tolerance"]
    )


def test_the_ceiling_of_the_device_can_be_timed(environment, ask):
    row, _ = environment
    if not set(ceiling.NEEDS) <= set(registry.control_names(row)):
        pytest.skip(f"{row.title} has no matrix product and no copy of its own")
    reply = ask("ceiling", precision="fp32")
    assert reply["status"] == "ok", reply
    assert reply["matmul_flops_s"] > 1e6  # any machine of the last forty years
    assert reply["copy_bytes_s"] > 1e6
