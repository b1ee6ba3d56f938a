"""A GPU before there is one: a machine that says it has a card, a framework that sees it, and a borrowed day."""

import html
import os
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest
from running import ROOT

from analysis.data import schema
from analysis.data import stated as device
from analysis.found import Found
from analysis.site import build
from analysis.site.pages import machines, workload
from bench import registry
from bench.campaign import gpu_session
from bench.cases import select
from bench.cli import options, verbs
from bench.results import records

WORDS = ("--workload", "mnist_mlp", "--environment", "numpy-a", "--environment", "numpy-b")


@pytest.fixture
def on_gpu(bench):
    """A bench on a machine with a card, which the framework sees."""
    machine = str(ROOT / "tests" / "machines" / "gpu")
    bench.environment.update(
        NUMPY_GPU="1",
        PATH=os.pathsep.join([machine, bench.environment["PATH"]]),
        PYTHONPATH=os.pathsep.join([machine, bench.environment["PYTHONPATH"]]),
    )
    return bench


def lines_of(bench):
    return [line for path in sorted(bench.results.glob("*.jsonl")) for line in records.read(str(path))]


def kinds(lines, kind):
    return [line for line in lines if line.kind == kind]


def test_a_campaign_on_a_gpu_goes_from_the_probe_to_the_page(on_gpu):
    """It answers there first, has a GPU's batches, and knows its state; a card at its power cap makes nothing void."""
    smoke = ("--profile", "smoke", "--rounds", "3", "--budget", "5m", "--no-table")
    on_gpu("run", *smoke, "--mode", "plain", "--precision", "fp32", "--precision", "tf32", *WORDS)
    lines = lines_of(on_gpu)
    assert lines[0].machine.gpu == "NVIDIA H200"
    answers = {(line.environment, line.precision): line for line in kinds(lines, "answer")}
    assert {key: line.status for key, line in answers.items()} == {
        (name, precision): "ok" for name in ("numpy-a", "numpy-b") for precision in ("fp32", "tf32")}  # fmt: skip
    for name in ("numpy-a", "numpy-b"):
        rounding, coarse = (answers[name, precision].errors["outputs"] for precision in ("fp32", "tf32"))
        assert rounding == 0.0
        assert 1e-5 < coarse < 3e-3
    runs = kinds(lines, "run")
    assert {(run.status, run.case.device, run.case.batch_size) for run in runs} == {("ok", "gpu", 512)}
    assert len(runs) == 12
    states = [run.machine_state.gpu for run in runs]
    assert {state.sm_clock_default_mhz for state in states} == {1980}
    metered = [state for state in states if state.power_mean_w]  # sampling may be expensive: some have no sample
    assert {(state.power_mean_w, *state.throttle_reasons) for state in metered} == {(500, "power cap")}
    assert not kinds(lines, "void")
    results = build.read_results(on_gpu.results.parent)
    answers = build.estimate_all(results)
    found = Found(results, answers, build.defaults(answers), [])
    (page,) = machines.pages(found).values()
    assert "NVIDIA H200" in html.unescape(page)
    rows = schema.text(device.ANSWERS, found).splitlines()[1:]
    assert len(rows) == 4
    assert all(",gpu," in row and ",ok," in row for row in rows)
    assert "tf32" in workload.page(found, "mnist_mlp")


def test_with_a_driver_that_is_too_old_nothing_is_measured_in_silence(on_gpu):
    del on_gpu.environment["NUMPY_GPU"]
    on_gpu.environment["DRIVER"] = "450.1"
    on_gpu.frameworks = shutil.copytree(on_gpu.frameworks, on_gpu.folder / "frameworks")
    rows = on_gpu.frameworks / "numpy" / "framework.toml"
    rows.write_text(rows.read_text().replace("packages = []", 'packages = []\ngpu = ["numpy"]'))
    said = on_gpu("run", "--profile", "smoke", "--mode", "plain", "--no-table", *WORDS).stderr
    assert "left out: it sees no GPU, though there is one here (NVIDIA H200, driver 450.1)" in said
    assert [(run.status, run.case.device) for run in kinds(lines_of(on_gpu), "run")] == [("absent", "gpu")] * 2


def test_each_step_of_a_lease_is_within_ten_minutes_and_all_that_it_asks_can_be_asked():
    devices = dict.fromkeys(registry.environments(), "gpu")
    for step in gpu_session.STEPS.values():
        assert gpu_session.LEAST_S < step.seconds < step.seconds + step.before_s <= 600
        asked = options.parser().parse_args(["run", *step.words])
        assert {case.mode for case in select(verbs.selection(asked, first_only=True), devices)} >= set(asked.mode)


def words_of_a_lease(bench, folder):
    return ["--frameworks", bench.frameworks, "--answers", str(folder / "answers"), "--threads", "1", "--mode", "plain",
            f"--python=numpy-a={sys.executable}", f"--python=numpy-b={sys.executable}"]  # fmt: skip


@pytest.mark.nightly
def test_a_lease_leaves_one_archive_and_a_timetable(on_gpu, tmp_path):
    out = tmp_path / "out"
    done = subprocess.run(
        [sys.executable, "-m", "bench.campaign.gpu_session", "look", "--minutes", "4", "--out", str(out),
         *words_of_a_lease(on_gpu, tmp_path)],
        cwd=ROOT, env=on_gpu.environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    with tarfile.open(out / "look.tar.gz") as archive:
        names = archive.getnames()
        (campaign,) = [name for name in names if name.endswith(".jsonl")]
        archive.extractall(tmp_path / "unpacked", filter="data")
    lines = records.read(str(tmp_path / "unpacked" / campaign))
    assert {run.case.precision for run in kinds(lines, "run") if run.status == "ok"} == {"fp32", "tf32", "bf16"}
    assert "look.txt" in names
    assert "mnist_mlp" in done.stdout
    table = done.stdout.partition("Timetable:")[2]
    assert [line for line in table.splitlines() if "look" in line and "exit code 0" in line]


@pytest.mark.nightly
def test_a_campaign_whose_minutes_are_over_keeps_what_it_has_and_no_other_begins(on_gpu, tmp_path, monkeypatch):
    for name, value in on_gpu.environment.items():
        monkeypatch.setenv(name, value)
    lease = gpu_session.Lease("cut", 3.0, str(tmp_path / "out"), words_of_a_lease(on_gpu, tmp_path))
    lease.results = str(tmp_path / "cut")
    wait = subprocess.Popen.wait

    def over_once_a_campaign_has_begun(process, seconds=None):
        if seconds is None or seconds <= gpu_session.PATIENCE_S:
            return wait(process, seconds)
        while not lease.campaigns():
            assert process.poll() is None, "it ended before"
            time.sleep(0.05)
        lease.end = time.monotonic()
        raise subprocess.TimeoutExpired(process.args, seconds)

    monkeypatch.setattr(subprocess.Popen, "wait", over_once_a_campaign_has_begun)
    step = gpu_session.Step(60, 60, ("--profile", "full", *WORDS))
    lease.measure("first", step)
    lease.measure("second", step)
    assert ["its minutes were over" in told for told in lease.timetable] == [True, True]
    assert "not begun" in lease.timetable[1]
    (path,) = lease.campaigns()
    last = records.read(path)[-1]
    assert (last.kind, last.rounds, last.reason) == ("end", 0, "interrupted: its minutes were over")
    assert Path(lease.pack()).exists()
