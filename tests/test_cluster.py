"""`nox -s cluster`: kinds of node, the script of a job, the states of jobs, and bundles; no Slurm is needed."""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tomllib

import pytest
from faults.one_host_slurm import PACKAGES
from running import ROOT

from bench import registry
from bench.errors import DefinitionError
from bench.results import records
from bench.results.lines import Run
from tasks import bundle, cluster, installing

PAGE = (ROOT / "docs" / "cluster.md").read_text()
(EXAMPLE,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def settings(tmp_path):
    (tmp_path / "cluster.toml").write_text(EXAMPLE)
    return tmp_path / "cluster.toml"


def test_the_example_of_the_page_has_all_kinds_and_every_key_of_a_kind(settings):
    gpu, cpu = cluster.kinds(settings)
    assert (gpu.name, gpu.partition, gpu.nodes, gpu.gpus) == ("gpu", "gpu", 4, 1)
    assert (cpu.name, cpu.partition) == ("epyc", "cpu")
    stated = {key for table in tomllib.loads(EXAMPLE).values() for key in table}
    assert stated | {"name"} == set(cluster.Kind._fields)


def test_a_partition_chooses_its_kinds_and_needs_no_table(settings):
    assert [kind.name for kind in cluster.kinds(settings, ["cpu"])] == ["epyc"]
    assert cluster.kinds(settings, ["debug"], 2) == [cluster.Kind("debug", "debug", 2)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Name a partition"),
        ("[gpu]\nnode = 4", r"cluster.toml, \[gpu\]: expected one of: partition, nodes.*, got node = 4"),
        ('[gpu]\nnodes = "4"', r"cluster.toml, \[gpu\]: expected int, got nodes = '4'"),
        ("gpus = 1", r"cluster.toml: expected a table \[gpus\], got gpus = 1"),
    ],
)
def test_wrong_settings_are_an_error_with_the_place(settings, text, why):
    settings.write_text(text)
    with pytest.raises(DefinitionError, match=why):
        cluster.kinds(settings)


@pytest.fixture
def job(tmp_path):
    """Write the script of a job whose bench is a Python program, and start it as Slurm does; returns its process."""
    variables = {"SLURM_ARRAY_JOB_ID": "17", "SLURM_ARRAY_TASK_ID": "2", "SLURMD_NODENAME": "n1", "TMPDIR": tmp_path}

    def start(code, **fields):
        output = tmp_path / "an output"
        (output / "jobs").mkdir(parents=True)
        (output / "job.sh").write_text(
            cluster.script(cluster.Kind("gpu", "gpu", **fields), output, [sys.executable, "-c", code])
        )
        return subprocess.Popen(["bash", str(output / "job.sh")], env={**os.environ, **variables}, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)  # fmt: skip

    start.note = lambda: json.loads((tmp_path / "an output" / "jobs" / "17_2.json").read_text())
    return start


def test_a_job_runs_the_bench_in_the_project_with_a_state_folder_of_its_node_and_notes_the_exit_code(job, tmp_path):
    process = job("import os; print(os.getcwd(), os.environ['BENCH_STATE'], os.environ['GREETING']); os._exit(3)",
                  setup="export GREETING=hello", container="env")  # fmt: skip
    said, _ = process.communicate(timeout=60)
    state = tmp_path / f"rosetta-bench-{os.getuid()}-n1"
    assert said.split() == [str(ROOT), str(state), "hello"]
    assert state.stat().st_mode & 0o777 == 0o700
    assert process.returncode == 3
    assert job.note() | {"since": ""} == {"kind": "gpu", "node": "n1", "restarts": 0, "since": "", "code": 3}


def test_a_job_that_is_cancelled_waits_for_the_bench_and_notes_its_exit_code(job):
    process = job("import signal, sys, time; signal.signal(signal.SIGTERM, lambda *_: sys.exit(143)); print(1, flush=1)"
                  "; time.sleep(60)")  # fmt: skip
    assert process.stdout.readline() == "1\n"
    assert job.note()["code"] is None
    os.killpg(process.pid, signal.SIGTERM)
    process.communicate(timeout=60)
    assert (process.returncode, job.note()["code"]) == (143, 143)


def test_a_script_requests_whole_nodes_and_what_its_kind_states(settings, tmp_path):
    gpu, _ = cluster.kinds(settings)
    options = re.findall(r"^#SBATCH (.*)$", cluster.script(gpu, tmp_path, ["true"]), re.MULTILINE)
    assert options[:3] == ["--job-name=rosetta-gpu", "--partition=gpu", "--array=1-4"]
    assert {"--exclusive", "--requeue", "--open-mode=append", "--gres=gpu:1", f"--time={gpu.time}"} <= set(options)
    assert options[-len(gpu.options) :] == list(gpu.options)


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    """Programs of Slurm that print given texts, and the output folder of a cluster."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    def answer(program, text, code=0):
        path = tmp_path / program
        path.write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\nexit {code}\n")
        path.chmod(0o755)

    answer.output = tmp_path / "output"
    return answer


@pytest.mark.parametrize(
    ("code", "node", "queued", "state"),
    [
        (None, "", "17_1|PENDING|Resources", "waiting: Resources"),
        (143, "n1", "17_1|PENDING|BeginTime", "waiting: BeginTime"),  # requeued
        (None, "n1", "17_1|RUNNING|None", "running"),
        (0, "n1", "17_1|COMPLETING|None", "done"),
        (0, "n1", "18_1|RUNNING|None", "done"),
        (143, "n1", "", "stopped"),
        (2, "n1", "", "failed: its log says what to do"),
        (1, "n1", "", "failed with exit code 1"),
        (None, "n1", "", "lost"),
        (None, "", "", "never began"),
    ],
)
def test_the_state_of_a_job_is_read_from_its_own_file_and_the_queue(slurm, code, node, queued, state):
    slurm("sbatch", "17;cluster")
    slurm("squeue", queued)
    assert cluster.submit(cluster.Kind("gpu", "gpu"), slurm.output, "python", []) == "17"
    noted = {"kind": "gpu", "node": node, "restarts": 0, "since": "2026-11-29T12:00:00Z"}
    (slurm.output / "jobs" / "17_1.json").write_text(json.dumps({**noted, "code": code}))
    assert cluster.jobs(slurm.output) == [cluster.Job("17_1", **noted, state=state)]


def test_a_job_that_begins_before_it_is_listed_keeps_its_own_note(slurm):
    slurm("sbatch", "17")
    own = slurm.output / "jobs" / "17_1.json"
    own.parent.mkdir(parents=True)
    own.write_text("its own")
    cluster.submit(cluster.Kind("gpu", "gpu", 2), slurm.output, "python", [])
    assert own.read_text() == "its own"
    assert json.loads((own.parent / "17_2.json").read_text())["node"] == ""


def test_without_slurm_or_with_an_option_that_it_refuses_the_error_says_so(slurm, monkeypatch):
    slurm("sbatch", "no", code=1)
    with pytest.raises(DefinitionError, match="sbatch failed"):
        cluster.submit(cluster.Kind("gpu", "gpu"), slurm.output, "python", [])
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(DefinitionError, match="There is no squeue here"):
        cluster.jobs(slurm.output)


@pytest.mark.parametrize("has_gpu", [True, False])
def test_an_environment_for_other_nodes_has_their_pins_and_a_folder_of_its_own(monkeypatch, has_gpu):
    monkeypatch.setattr(cluster, "HAS_GPU", not has_gpu)
    monkeypatch.setattr(installing, "HAS_GPU", not has_gpu)
    row = registry.environment("pytorch")
    made = cluster.built_for(row, has_gpu)
    assert installing.pins(made) == row.packages + (row.gpu if has_gpu else row.cpu)
    assert installing.index_of(made) == row.index.get("gpu" if has_gpu else "cpu", "")
    assert made.name != row.name
    assert cluster.built_for(row, not has_gpu) is row


def test_submit_names_interpreters_of_rows_to_the_bench(slurm, monkeypatch, tmp_path):
    slurm("sbatch", "17")
    monkeypatch.setattr(cluster, "SETTINGS", tmp_path / "absent.toml")
    monkeypatch.setattr(cluster, "HAS_GPU", True)  # the nodes have none
    monkeypatch.setattr(registry, "STATE", str(tmp_path / "state"))
    monkeypatch.setattr(cluster.installing, "environment", lambda _, row: f"{row.name}/bin/python")
    monkeypatch.setattr(cluster.installing, "tools", lambda _: "tools/bin/python")
    session = argparse.Namespace(
        posargs=["submit", "--partition", "cpu", "--environment", "jax", "--rounds", "2", f"--output={slurm.output}"],
        invoked_from=str(tmp_path), log=str, warn=str, error=pytest.fail,
    )  # fmt: skip
    cluster.cluster(session)
    written = (slurm.output / "cpu.sh").read_text()
    assert (
        "tools/bin/python -m bench run --no-table --rounds 2 --environment=jax --python=jax=jax-cpu/bin/python"
        in written
    )
    assert f"--nodes={slurm.output}/nodes --results={slurm.output}/results" in written


def test_the_gate_installs_the_packages_of_the_slurm_on_one_host():
    for file in (".ci/run", ".github/workflows/tests.yml", ".github/workflows/nightly.yml"):
        assert PACKAGES in (ROOT / file).read_text()


def test_a_bundle_names_environments_without_their_python_as_absent(tmp_path):
    """The bench is a program here that prints its words."""
    shutil.copy(ROOT / "tasks" / "offline.py", tmp_path / "run.py")
    rows = [{"name": name, "python": "9.9", "steps": []} for name in ("", "jax", "pytorch")]
    (tmp_path / "plan.json").write_text(json.dumps({"environments": rows, "options": ["--rounds", "2"]}))
    for name in ("bench", "jax"):
        (tmp_path / "environments" / name / "bin").mkdir(parents=True)
        (tmp_path / "environments" / name / "complete").touch()
    python = tmp_path / "environments" / "bench" / "bin" / "python"
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    python.chmod(0o755)
    said = subprocess.run([sys.executable, "run.py", "--seed", "1"], cwd=tmp_path, capture_output=True, text=True,
                          check=True).stdout.splitlines()  # fmt: skip
    assert said == [
        f"Results go to {tmp_path}/measured", "-m", "bench", "run", f"--results={tmp_path}/measured", "--rounds", "2",
        f"--python=jax={tmp_path}/environments/jax/bin/python", "--absent=pytorch=no python9.9 is here", "--seed", "1",
    ]  # fmt: skip


@pytest.mark.nightly
def test_a_bundle_measures_with_nothing_but_python_and_without_an_index(tmp_path, answered, frameworks):
    """The NumPy framework, whose environment has a wheel of NumPy from the package index."""
    (numpy,) = [pin for pin in bundle.driver().steps[0] if pin.startswith("numpy==")]
    rows = {name: row._replace(python=["{}.{}".format(*sys.version_info[:2])], packages=[numpy])
            for name, row in registry.environments(frameworks).items() if name != "numpy-wrong"}  # fmt: skip
    words = ["--frameworks", frameworks, "--answers", str(answered), "--threads", "1", "--machine", "test", "--profile",
             "smoke", "--workload", "mnist_mlp", "--mode", "plain"]  # fmt: skip
    path = bundle.write(tmp_path / "output", rows, words)
    with tarfile.open(path) as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / bundle.FOLDER
    environ = {"PATH": "/usr/bin:/bin", "PIP_INDEX_URL": "http://nowhere.invalid", "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "run.py", "--rounds", "1"], cwd=folder, env=environ, capture_output=True,
                          text=True, check=False, timeout=300)  # fmt: skip
    assert done.returncode == 0, done.stderr
    (campaign,) = (records.read(str(path)) for path in folder.glob("measured/test/*.jsonl"))
    assert campaign[0].revision == (folder / "revision.txt").read_text().strip()
    assert {(run.case.environment, run.status) for run in records.of_class(campaign, Run)} == {
        ("numpy-a", "ok"), ("numpy-b", "ok")}  # fmt: skip
