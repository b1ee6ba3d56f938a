"""Several devices share each batch: that is proven, all their processes count, and none outlives the first."""

import os
import sys
import time

import pytest
from competitors import plain
from running import Bench

from bench import ablations, machine, registry
from bench.driver import processes
from bench.replies import Measure, Request
from bench.results import records
from bench.results.lines import Run
from bench.worker import replicas

MODE = "plain+replicated+2"
MADE = """
import time
from multiprocessing.connection import Client, Listener

from bench.worker import replicas


def join(program, group):
    program.communication_s = lambda: 0.25
    path = "\\0%s %d" % (group.folder[-30:], program.place_in_group)
    if group.rank == 0:
        listener = Listener(path)
        program.others = [listener.accept() for _ in range(group.size - 1)]
        return
    while True:
        try:
            program.others = [Client(path)]
            return
        except OSError:
            time.sleep(0.01)


def vary(program, source):
    class Averaging(program):
        def gradients(self, batch):
            outputs, loss, gradients = super().gradients(batch)
            if self.group.rank:
                self.others[0].send(gradients)
                return outputs, loss, self.others[0].recv()
            shares = [gradients, *(other.recv() for other in self.others)]
            gradients = {name: sum(share[name] for share in shares) / self.group.size for name in gradients}
            for other in self.others:
                other.send(gradients)
            return outputs, loss, gradients

        def _train(self, batch):
            _, loss, gradients = Averaging.gradients(self, batch)
            for name, gradient in gradients.items():
                self.squares[name] = 0.9 * self.squares[name] + 0.1 * gradient**2
                self.values[name] -= self.learning_rate * gradient / (self.squares[name] ** 0.5 + self.epsilon)
            return loss

    return replicas.by_processes(Averaging, 0, join), source
"""
HAS_CORES = machine.cores() > 1
needs_cores = pytest.mark.skipif(not HAS_CORES, reason="two replicas need two cores")


def run(tmp_path, own_frameworks, made=MADE):
    """Measure two replicas beside one; return the runs of both modes."""
    (own_frameworks / "numpy" / "ablations" / "replicated.py").write_text(made)
    bench = Bench(tmp_path, str(own_frameworks), ("numpy-a", "numpy-b"))
    asked = ["--workload", "mnist_mlp", "--task", "train", "--mode", "plain", "--mode", MODE]
    bench("run", "--suite", "lessons", "--profile", "smoke", *asked)
    lines = records.read(str(next(bench.results.glob("*.jsonl"))))
    return {line.case.mode: line for line in lines if isinstance(line, Run) and line.case.environment == "numpy-a"}


@needs_cores
def test_two_replicas_prove_to_compute_the_same_and_both_their_processes_count(tmp_path, own_frameworks):
    found = run(tmp_path, own_frameworks)
    assert {mode: line.status for mode, line in found.items()} == {"plain": "ok", MODE: "ok"}
    alone, two = found["plain"], found[MODE]
    assert two.loss_of_biases == pytest.approx(alone.loss_of_biases)
    assert two.loss_without_dropout == pytest.approx(alone.loss_without_dropout)
    assert two.peak_host_memory_bytes > 1.5 * alone.peak_host_memory_bytes
    assert (two.block_cpu_s, len(alone.block_cpu_s)) == ([], len(alone.block_s))
    assert (two.communication_s, alone.communication_s) == (0.25, None)


RIGHT = "return replicas.by_processes(Averaging, 0, join), source"
FIRST_HALF = """made = replicas.by_processes(Averaging, 0, join)
    place = made.place
    made.place = lambda self, x, y: place(self, *(each[[*range(len(each) // 2)] * 2] for each in (x, y)))
    return made, source"""
FULL = """if self.group.rank:
                raise MemoryError("full")"""
PLANTED = {
    "one replica": (RIGHT, "return program, source", "failed", "was to be shared by 2 devices, and it was made by: {}"),
    "sums instead of means": (" / self.group.size", "", "unproven", "gradients differ"),
    "the first half twice": (RIGHT, FIRST_HALF, "unproven", "outputs differ"),
    "an error on the second device": ("if self.group.rank:", FULL, "unproven", "Device 2 of 2: MemoryError: full"),
    "no exchange of gradients": ("Averaging.gradients(self, batch)", "program.gradients(self, batch)",
                                 "unproven", "differ"),
}  # fmt: skip


@needs_cores
@pytest.mark.parametrize("defect", [pytest.param(name, marks=[pytest.mark.nightly] * (name != "one replica"))
                                    for name in PLANTED])  # fmt: skip
def test_a_planted_defect_is_refused(defect, tmp_path, own_frameworks):
    right, wrong, status, said = PLANTED[defect]
    assert right in MADE
    found = run(tmp_path, own_frameworks, MADE.replace(right, wrong))
    assert (found["plain"].status, found[MODE].status) == ("ok", status), found[MODE].reason
    assert said in found[MODE].reason


@pytest.fixture
def start(own_frameworks, tmp_path):
    """Start to measure two replicas in a process of their call, and return it."""
    (own_frameworks / "numpy" / "ablations" / "replicated.py").write_text(MADE)
    row = registry.environment("numpy-a", str(own_frameworks))
    started = []

    def begin(threads=1):
        case = plain("numpy-a", frameworks=str(own_frameworks))[0]._replace(mode=MODE)
        work = Measure(case, "smoke", 1, False)
        request = Request("measure", row.name, str(own_frameworks), threads, "cpu", mode=MODE, work=work)
        started.append(processes.Worker(sys.executable, row, request, str(tmp_path / "cache")))
        return started[-1]

    yield begin
    for worker in started:
        worker.close()


@pytest.fixture
def alive(start):
    """A process that waits for its turns, and the one that follows it."""
    worker = start()
    assert worker.heard(60.0)
    worker.say(b"")
    assert worker.heard(60.0), worker.finish(1.0)
    return worker


def wait_until(is_so, seconds=20.0):
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_alive(number):
    try:
        with open(f"/proc/{number}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@needs_cores
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody finds the processes of a call")
def test_both_processes_sleep_between_turns_move_together_and_end_together(alive):
    numbers = alive.numbers
    assert len(numbers) == 2
    assert alive.resident_bytes()[0] > 1.5 * machine.resident_bytes(alive.number)[0]
    before = cpu_s(numbers)
    time.sleep(0.5)
    assert cpu_s(numbers) - before < 0.05, "a process that waits for a turn computes"
    alive.move([1])
    assert [os.sched_getaffinity(number) for number in numbers] == [{1}, {1}]
    os.kill(alive.number, 9)
    wait_until(lambda: not any(map(is_alive, numbers)))


def cpu_s(numbers):
    ticks = 0
    for number in numbers:
        with open(f"/proc/{number}/stat") as file:
            ticks += sum(map(int, file.read().rpartition(")")[2].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


@needs_cores
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody finds the processes of a call")
def test_a_process_that_dies_fails_the_run_and_says_so(alive):
    (other,) = set(alive.numbers) - {alive.number}
    os.kill(other, 9)
    alive.say(b"")
    assert not alive.heard(60.0)
    reply = alive.finish(1.0)
    assert (reply.status, reply.reason) == ("failed", "Device 2 of 2: its process ended with code -9.")


def test_more_threads_than_there_are_cores_for_all_replicas_are_refused(start):
    threads = machine.cores()
    reply = start(threads).finish(60.0)
    assert reply.status == "unsupported"
    assert reply.reason.startswith(f"2 replicas with {threads} threads each need {2 * threads} cores")


class Shared:
    def __init__(self, **shares):
        self.shares = lambda: shares


@pytest.mark.parametrize(
    ("shares", "examples"), [({"a": 32}, 32), ({"a": 16}, 32), ({"a": 32, "b": 32}, 32), ({"a": 2, "b": 2}, 5), ({}, 8)]
)
def test_shares_that_are_not_equal_or_of_fewer_devices_are_refused(shares, examples):
    with pytest.raises(replicas.ContractError, match=f"a step on {examples} examples was to be shared by 2 devices"):
        replicas.check(Shared(**shares), MODE, examples)
    replicas.check(Shared(**shares), "plain", examples)


def test_equal_shares_of_each_device_are_right():
    replicas.check(Shared(a=16, b=16), MODE, 32)


def test_a_mode_says_how_many_devices_and_cores_it_has():
    assert [ablations.devices(mode) for mode in ("jit", "jit+replicated+4", "jit+image_files+2", "jit+replicated")] == [
        1, 4, 1, 1]  # fmt: skip
    assert ablations.cores("jit+replicated+2", "cpu", 3) == 6
    assert ablations.cores("jit+replicated+2", "gpu", 3) == ablations.cores("jit", "cpu", 3) == 3
    assert ablations.unfed("jit+replicated+2") == "jit+replicated+2"
    assert ablations.unfed("jit+trunk_trained+image_files+2") == "jit+trunk_trained"
    assert ablations.title("replicated+2") == "Data parallelism, 2 devices"


def test_the_number_in_a_mode_reaches_the_variables_of_its_process():
    row = registry.environment("jax")
    variables = ablations.started(row, "jit+replicated+4").variables
    assert (variables["JAX_NUM_CPU_DEVICES"], variables["BENCH_DEVICES"]) == ("4", "4")
    assert "BENCH_DEVICES" not in ablations.started(row, "jit").variables
