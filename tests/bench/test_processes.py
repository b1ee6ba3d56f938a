"""Workers side by side: all are called, and none outlives an interrupt."""

import functools
import importlib
import os
import signal
import sys
import threading
import time

import pytest

from bench import machine, registry
from bench.driver import processes, variables
from bench.errors import DefinitionError
from bench.replies import Request

ENVIRONMENT = next(iter(registry.environments().values()))


def test_calls_are_made_side_by_side_and_all_of_them():
    meeting = threading.Barrier(2, timeout=30)  # breaks unless two wait at once
    made = []

    def call(number):
        meeting.wait()
        made.append(number)

    processes.side_by_side([functools.partial(call, number) for number in range(4)], 2)
    assert sorted(made) == [0, 1, 2, 3]


def test_who_is_over_gives_its_cores_to_the_next_at_once(monkeypatch):
    monkeypatch.setattr(machine, "cores", lambda: 4)
    begun = []

    def begin(name, place):
        begun.append((name, place))
        return name

    def is_over(name):
        return name != "slow" or len(begun) == 4

    processes.on_own_cores(begin, is_over, ["slow", "a", "b", "c"], 2)
    assert begun == [("slow", 0), ("a", 1), ("b", 1), ("c", 1)]


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_ends_every_worker_and_starts_no_other(tmp_path):
    script = tmp_path / "slow"
    code = f"import os, time\nopen('{tmp_path}/%d' % os.getpid(), 'w')\ntime.sleep(600)\n"
    script.write_text(f"#!{sys.executable}\n{code}")
    script.chmod(0o755)

    def call():
        processes.call(str(script), ENVIRONMENT, Request("probe", ENVIRONMENT.name, "", 1), 600, "")

    def started():
        return [path.name for path in tmp_path.iterdir() if path.name.isdigit()]

    def interrupt():
        while len(started()) < 2:
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        processes.side_by_side([call] * 5, 2)
    assert len(started()) == 2
    for pid in started():
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)


def test_what_the_shell_sets_for_a_framework_is_recorded_and_nothing_else(monkeypatch):
    environment = ENVIRONMENT._replace(listens=["SOME_"], variables={"SOME_OWN": "row"})
    home = os.path.expanduser("~")
    shell = {"SOME_DEBUG": "1", "SOME_OWN": "shell", "CUDA_LAUNCH_BLOCKING": "1", "OMP_NUM_THREADS": "7",
             "LD_LIBRARY_PATH": f"{home}/lib", "PASSWORD": "secret", "XLA_FLAGS": f"--dump={home}/x"}  # fmt: skip
    monkeypatch.setattr(os, "environ", shell)
    assert variables.inherited(environment) == {
        "CUDA_LAUNCH_BLOCKING": "1", "LD_LIBRARY_PATH": "~/lib", "SOME_DEBUG": "1",
        "XLA_FLAGS": "--dump=~/x"}  # fmt: skip


def test_a_frameworks_own_libraries_are_recorded_beside_the_numeric_ones():
    importlib.import_module("numpy")  # its library is loaded now
    general, with_own = machine.libraries(), machine.libraries(["_multiarray"])
    assert not [name for name in general if "_multiarray" in name]
    assert {name for name in with_own if "_multiarray" in name} == set(with_own) - set(general) != set()


REFUSED = {
    "ONEDNN_DEFAULT_FPMATH_MODE": "BF16", "DNNL_DEFAULT_FPMATH_MODE": "ANY", "NVIDIA_TF32_OVERRIDE": "1",
    "XLA_FLAGS": "--xla_dump_to=/x --xla_cpu_enable_fast_math=true", "SOME_PRECISION": "low",
    "CUBLAS_EMULATE_SINGLE_PRECISION": "1", "TRITON_F32_DEFAULT": "tf32",
}  # fmt: skip
ALLOWED = {"MKL_CBWR": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2", "XLA_FLAGS": "--xla_dump_to=/x", "SOME_DEBUG": "1"}


def test_a_variable_that_changes_arithmetic_is_refused_unless_the_environment_states_it(monkeypatch):
    environment = ENVIRONMENT._replace(listens=["SOME_"], arithmetic=["SOME_PREC"])
    for name, value in REFUSED.items():
        monkeypatch.setattr(os, "environ", {name: value})
        with pytest.raises(DefinitionError, match=f"The variable {name}=.*Unset it"):
            variables.check(environment)
        variables.check(environment._replace(variables={name: "its own"}))
    for name, value in ALLOWED.items():
        monkeypatch.setattr(os, "environ", {name: value})
        variables.check(environment)


def test_settings_in_the_users_home_are_refused_unless_they_are_defaults_or_moved(monkeypatch, tmp_path):
    about = {"moved_by": "SOME_HOME", "harmless": {"floatx": "float32"}}
    environment = ENVIRONMENT._replace(settings={".some.json": about}, variables={})
    monkeypatch.setenv("HOME", str(tmp_path))
    variables.check(environment)
    (tmp_path / ".some.json").write_text('{"floatx": "float32"}', encoding="utf-8")
    variables.check(environment)
    (tmp_path / ".some.json").write_text('{"floatx": "float16"}', encoding="utf-8")
    with pytest.raises(DefinitionError, match=r"~/\.some\.json changes the defaults"):
        variables.check(environment)
    variables.check(environment._replace(variables={"SOME_HOME": "{cache}"}))
