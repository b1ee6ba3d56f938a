"""The most that a device does is measured once a campaign, and holds for its runs."""

import time

import pytest

from bench import measure, own_controls, registry
from bench.results import records

CONTROLS = """
import time
class MatrixProduct:
    def __init__(self, side, device, precision=None):
        self.flops = self.bytes = %s
    def step(self, batch):
        end = time.process_time() + 0.001
        while time.process_time() < end:
            pass
    def wait(self, handle):
        return 0.0
class Copy(MatrixProduct):
    pass
"""
WORDS = ("--profile", "smoke", "--workload", "mnist_mlp", "--mode", "plain", "--environment", "numpy-a",
         "--environment", "numpy-b")  # fmt: skip


@pytest.fixture
def run(bench, own_frameworks):
    """Run a bench whose framework has these controls; returns what was said and the lines of the campaign."""

    def call(controls):
        (own_frameworks / "numpy" / "controls.py").write_text(controls)
        done = bench("run", *WORDS, "--frameworks", str(own_frameworks))
        (path,) = bench.results.glob("*.jsonl")
        return done, records.read(str(path))

    return call


def kinds(lines, kind):
    return [line for line in lines if line.kind == kind]


def test_each_environment_that_can_measures_the_machine_before_the_first_round(run):
    done, lines = run(CONTROLS % 1e9)
    found = kinds(lines, "ceiling")
    assert [line.environment for line in found] == ["numpy-a", "numpy-b"]
    assert all(1e9 < line.matmul_flops_s < 1e12 for line in found), "10^9 FLOP in a millisecond, give or take"
    assert lines.index(found[-1]) < lines.index(kinds(lines, "run")[0])
    assert [run.status for run in kinds(lines, "run")] == ["ok", "ok"]
    assert "GFLOP/s in matrix products" in done.stderr


def test_a_run_that_is_faster_than_its_machine_is_refused_when_it_is_written(run):
    _, lines = run(CONTROLS % 1)
    refused = kinds(lines, "run")
    assert [run.status for run in refused] == ["implausible"] * 2
    assert all("but this machine does" in run.reason and run.block_s for run in refused)


def test_a_ceiling_that_cannot_be_measured_is_a_line_with_its_reason_and_the_rest_goes_on(run):
    done, lines = run(
        (CONTROLS % 1).replace("end = time.process_time() + 0.001", "raise RuntimeError('no such product')")
    )
    assert {line.reason for line in kinds(lines, "ceiling")} == {"RuntimeError: no such product"}
    assert [run.status for run in kinds(lines, "run")] == ["ok", "ok"]
    assert "highest rates unknown" in done.stderr


class Interrupted:
    """A program that computes for a millisecond and is kept from its core for four."""

    def __init__(self, *_):
        self.flops, self.bytes = 10**6, 10**6

    def step(self, _):
        end = time.process_time() + 0.001
        while time.process_time() < end:
            pass
        time.sleep(0.004)

    def wait(self, _):
        return 0.0


class Controls:
    MatrixProduct = Copy = Interrupted


def test_a_ceiling_is_what_a_step_does_over_the_seconds_it_takes():
    found = measure.ceilings(Controls, "gpu", 1, "fp32")._asdict()
    assert set(found) == {"matmul_flops_s", "copy_bytes_s"}
    assert all(10**6 < value <= 10**6 / 0.005 for value in found.values())


def test_what_other_processes_took_of_a_processor_does_not_lower_its_ceiling():
    found = measure.ceilings(Controls, "cpu", 1, "fp32")._asdict()
    assert found["matmul_flops_s"] > 2 * found["copy_bytes_s"]
    assert found["matmul_flops_s"] <= 10**6 / 0.001


def test_what_a_frameworks_controls_define_is_known_without_importing_it(tmp_path, frameworks):
    row = registry.environment("numpy-a", frameworks)._replace(folder=str(tmp_path))
    assert own_controls.names(row) == []
    (tmp_path / "controls.py").write_text("import no_such_framework\ndef count(program, batch): ...\n")
    assert own_controls.names(row) == ["count"]
