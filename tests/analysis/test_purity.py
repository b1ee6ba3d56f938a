"""Analysis is a function of the result files: not of the clock, the locale, the order of files, hashes or chance."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import campaign

from analysis import inputs

SCRIPT = """
import sys
from pathlib import Path
from analysis import site
from analysis.summary import summary
from analysis.table import read_results
results, output = map(Path, sys.argv[1:])
site.write(results, output)
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


def test_the_same_files_give_the_same_bytes_of_summary_pages_and_figures(tmp_path):
    found = []
    for number, surroundings in enumerate(SURROUNDINGS):
        results, output = tmp_path / f"results-{number}", tmp_path / f"out-{number}"
        for lines in list(campaigns())[:: 1 - 2 * number]:  # files come into being in another order
            campaign.write(results, lines)
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(results), str(output)],
            cwd=inputs.ROOT, env={**os.environ, **surroundings}, check=True, capture_output=True,
        )  # fmt: skip
        found.append(digests(Path(output)))
    assert "summary.txt" in found[0]
    assert found[0] == found[1]
