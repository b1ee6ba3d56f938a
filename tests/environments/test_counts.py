"""What a step costs is what a framework's own counter finds, and a device's ceiling can be timed."""

import pytest
from within import small

from bench import costs, machine, own_controls, registry
from bench.cases import Case
from bench.replies import Count

pytestmark = pytest.mark.environment
MANY = 5e10  # FLOPs of a step


def questions(row, which):
    """Return (workload, task, batch size) of the lightest network, or of all that an environment answers.

    Of a large network, that is its training.

    The counts are the same in each environment, so those frameworks that can count share the large networks among them.
    """
    usual = [each for each in registry.environments().values() if each.is_default]
    counting = list(dict.fromkeys(each.folder for each in usual if "count" in own_controls.names(each)))
    large = filter(registry.is_large, registry.workload_names())
    own = {name for place, name in enumerate(large) if counting[place % len(counting)] == row.folder}
    asked = own.union(small(row)) if which == "all" else small(row)[:1]
    return [(name, task, size(name, task)) for name in registry.answered(row) if name in asked for task in tasks(name)]


def tasks(workload):
    """Return what to count: a large network's training includes its forward pass, and takes a minute to compile."""
    problem = registry.workload(workload)
    if not problem.OPTIMIZERS:
        return ["infer"]
    return ["train"] if registry.is_large(workload) else ["infer", "train"]


def size(workload, task):
    """Return the usual batch size, or 2 where a step would take many seconds: what is counted grows with it alone."""
    usual = registry.workload(workload).BATCH_SIZES[0]
    return usual if costs.flops(workload, task, usual) < MANY else 2


def cost(workload, task, batch_size):
    """Return what we state a step to take; which environment makes it changes nothing."""
    optimizer = registry.optimizers(workload)[0] if task == "train" else "none"
    return costs.of(Case(workload, "", task, "", "fp32", "", "cpu", batch_size, optimizer, "", "random"))


@pytest.mark.long
@pytest.mark.parametrize("which", ["lightest", pytest.param("all", marks=pytest.mark.nightly)])
def test_a_workload_costs_what_the_framework_counts(which, environment, ask, subtests):
    row, _ = environment
    if "count" not in own_controls.names(row):
        pytest.skip(f"{row.title} has no counter of its own")
    asked = questions(row, which)
    reply = ask("count", Count(asked))
    for (workload, task, batch_size), (flops, moved_bytes) in zip(asked, reply.counted, strict=True):
        with subtests.test(workload=workload, task=task):
            if flops is None:
                pytest.skip(f"{row.title} cannot count what {workload} does")
            ours = cost(workload, task, batch_size)
            assert flops / ours.flops == pytest.approx(1, abs=reply.tolerance)
            if moved_bytes is not None:  # by operations that are not fused: at least what no step does without
                assert ours.least_bytes <= moved_bytes


def test_the_ceiling_of_the_device_can_be_timed(environment, ask):
    row, _ = environment
    if not set(own_controls.NEEDS) <= set(own_controls.names(row)):
        pytest.skip(f"{row.title} has no matrix product and no copy of its own")
    for precision in ("fp32", "bf16") if machine.has_bfloat16() else ("fp32",):  # emulated, one may take minutes
        reply = ask("ceiling", precision=precision)
        assert reply.rates[0] > 1e6  # any machine of the last forty years
        assert reply.rates[1] > 1e6
