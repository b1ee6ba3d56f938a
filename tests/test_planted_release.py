"""`nox -s bench -- --bisect` finds a planted change: wheels of Keras in which a training step takes 5 % longer."""

import ast
import os
import shutil
import subprocess
import sys
import zipfile

import pytest

from tasks import pip_settings
from tasks.green import ROOT

KERAS = "3.15.0"  # of the row
SLOW, FAST = ("3.14.90", "3.14.91"), ("3.14.92", "3.14.93")
NOX = [sys.executable, "-m", "nox", "-s", "bench", "--"]
STEP = "logs, state = self.train_function(state, iterator)"
# The wait is 5 % of the step before it, so it is the same share on each machine.
PLANTED = f"""begun = time.perf_counter()
                        {STEP}
                        jax.block_until_ready(state)
                        until = begun + 1.05 * (time.perf_counter() - begun)
                        while time.perf_counter() < until:
                            pass"""


def planted(wheel, version, folder):
    """Write a wheel of Keras with another version, and with a slower step if the version is one of SLOW."""
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(folder / f"keras-{version}-py3-none-any.whl", "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.endswith((".dist-info/METADATA", ".dist-info/RECORD", "src/version.py")):
                content = content.replace(KERAS.encode(), version.encode())
            if name == "keras/src/backend/jax/trainer.py" and version in SLOW:
                assert content.count(STEP.encode()) == 1, "Keras has another training loop: plant the change elsewhere"
                content = b"import time\n" + content.replace(STEP.encode(), PLANTED.encode())
            new.writestr(name.replace(KERAS, version), content)


@pytest.fixture
def releases(tmp_path):
    """The environment variables with which pip and uv also find the planted releases."""
    (tmp_path / "wheels").mkdir()
    (tmp_path / "own").mkdir()
    pip = pip_settings.find_pip(ROOT / ".nox" / "pip")
    download = [*pip, "download", "-q", "--no-deps", "--dest", str(tmp_path / "own"), f"keras=={KERAS}"]
    subprocess.run(download, check=True)
    (wheel,) = (tmp_path / "own").iterdir()
    for version in SLOW + FAST:
        planted(wheel, version, tmp_path / "wheels")
    links = f"{pip_settings.read(pip).get('find-links', '')} {tmp_path / 'wheels'}".strip()
    yield {**os.environ, "PIP_FIND_LINKS": links, "BENCH_STATE": str(tmp_path / "state")}
    for home in (ROOT / ".nox").glob("install-keras-jax-keras-3-14-9*"):
        shutil.rmtree(home)


@pytest.mark.nightly
@pytest.mark.alone
def test_the_release_in_which_a_step_became_faster_by_5_percent_is_found_and_a_script_shows_it(releases, tmp_path):
    command = [*NOX, "--bisect", "keras", "--since", SLOW[0], "--workload", "mnist_mlp", "--environment", "keras-jax",
               "--documented", "--rounds", "10", "--budget", "10m"]  # fmt: skip
    done = subprocess.run(
        command, cwd=ROOT, env=releases, text=True, check=False, timeout=3600,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert f"The time changed in {FAST[0]}: {SLOW[-1]} is not like it." in done.stdout, done.stdout
    script = (tmp_path / "state" / "against" / "regression_keras_mnist_mlp_keras-jax_fit.py").read_text()
    about = ast.get_docstring(ast.parse(script))
    assert about.splitlines()[0].endswith(f"times as long with keras {SLOW[-1]} as with keras {FAST[0]}.")
    assert all(f"pip install keras=={version} " in about for version in (SLOW[-1], FAST[0]))
