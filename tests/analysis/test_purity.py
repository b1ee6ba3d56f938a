"""Analysis is a function of the result files: not of clock, locale, order of files, hashes, chance or what was kept."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import campaign
import pytest

from analysis import inputs

SCRIPT = """
import sys
from pathlib import Path
from analysis.load.table import read_results
from analysis.site import build
from analysis.text.summary import summary
results, output = map(Path, sys.argv[1:])
build.write(results, output)
(output / "summary.txt").write_text(summary(read_results(results)), encoding="utf-8")
"""
SURROUNDINGS = (
    {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C", "LANG": "C"},
    {"PYTHONHASHSEED": "2", "TZ": "Asia/Kathmandu", "LC_ALL": "C.UTF-8", "LANG": "de_DE.UTF-8"},
)


def campaigns():
    truth = {"red": 0.010, "blue": 0.0101}
    for machine, workloads in (("laptop", ("mnist_mlp", "linear")), ("cluster", ("linear",))):
        cases = [campaign.case(name, workload=each) for name in truth for each in workloads]
        yield campaign.lines(cases, campaign.noisy(truth), rounds=7, machine=machine)


def digests(folder):
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*")) if path.is_file()}  # fmt: skip


def made(folder, results, surroundings, state):
    """Return the digests of all that is made of some results, with what is kept in the folder `state`."""
    subprocess.run(
        [sys.executable, "-c", SCRIPT, str(results), str(folder)],
        cwd=inputs.ROOT, env={**os.environ, **surroundings, "BENCH_STATE": str(state)}, check=True, capture_output=True,
    )  # fmt: skip
    return digests(Path(folder))


@pytest.mark.nightly
def test_the_same_files_give_the_same_bytes_of_summary_pages_and_figures(tmp_path):
    found = []
    for number, surroundings in enumerate(SURROUNDINGS):
        results, state = tmp_path / f"results-{number}", tmp_path / f"state-{number}"
        for lines in list(campaigns())[:: 1 - 2 * number]:  # files come into being in another order
            campaign.write(results, lines)
        found.append(made(tmp_path / f"out-{number}", results, surroundings, state))
    assert "summary.txt" in found[0]
    assert found[0] == found[1]
    kept = made(tmp_path / "out-2", tmp_path / "results-0", SURROUNDINGS[0], tmp_path / "state-1")
    assert digests(tmp_path / "state-1")
    assert kept == found[0]
