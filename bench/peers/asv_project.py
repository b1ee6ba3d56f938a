"""A project as asv wants it: a git repository with a commit for each ratio, a benchmark, and an environment."""

import json
import os
import shutil
import sys
import time

from bench.peers.pairs import NAMES, Pair, Scale, ToolError, run, source

BENCHMARK = "import program\n\n\ndef time_step():\n    program.step()\n"
INSTALL = """import pathlib
import shutil
import sysconfig

place = pathlib.Path(sysconfig.get_path("purelib"))
shutil.copy("program.py", place)
place.joinpath("packages.pth").write_text({packages!r})  # what the program imports, without a second installation
"""
GIT = ("git", "-c", "user.name=peers", "-c", "user.email=peers@localhost", "-c", "commit.gpgsign=false")
FACTOR = 1.01


def continuous(pair: Pair, rounds: int) -> tuple[str, dict[str, list[float]]]:
    """Run `asv continuous` on the commits of a pair; return its output and the samples of both programs, in seconds.

    The first call makes the repository and the environment. Commits of a ratio are made if it has none yet.
    """
    folder = os.path.join(pair.folder, "asv")
    if not os.path.exists(os.path.join(folder, "asv.conf.json")):
        _make(folder)
    tags = {
        "faster": _commit(folder, pair.kind, 1.0, "faster"),
        "slower": _commit(folder, pair.kind, pair.truth, "slower"),
    }
    names = [tags[name] for name in pair.order]
    words = ["continuous", f"--factor={FACTOR}", "--interleave-rounds", f"--attribute=rounds={rounds}", *names]
    try:
        text = _asv(folder, *words)
    except ToolError as error:  # asv exits with 1 if performance decreased
        text = error.output
        if "SIGNIFICANTLY" not in text:
            raise
    return text, {name: _samples(folder, tags[name]) for name in NAMES}


def prepare(pair: Pair) -> Scale:
    """Make the environment, so that its installation is not counted, and measure how long rounds take."""
    shutil.rmtree(os.path.join(pair.folder, "asv"), ignore_errors=True)  # of another version of this file
    continuous(pair, 2)
    short_s, long_s = (_seconds(pair, rounds) for rounds in (2, 5))
    round_s = max((long_s - short_s) / 3, 0.1)
    return pair.scale._replace(asv_s=max(short_s - 2 * round_s, 0.0), asv_round_s=round_s)


def _seconds(pair: Pair, rounds: int) -> float:
    begin = time.monotonic()
    continuous(pair, rounds)
    return time.monotonic() - begin


def _asv(folder: str, *words: str) -> str:
    own = {"HOME": folder, "GIT_CONFIG_GLOBAL": os.devnull}
    return run([sys.executable, "-m", "asv", *words], folder, own)


def _make(folder: str) -> None:
    os.makedirs(os.path.join(folder, "benchmarks"), exist_ok=True)
    project = os.path.join(folder, "project")
    run([*GIT, "init", "--quiet", "--initial-branch=main", project])
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    settings = {
        "version": 1, "project": "program", "repo": "project", "branches": ["main"], "environment_type": "virtualenv",
        "pythons": [version], "build_command": [], "uninstall_command": [],
        "install_command": ["in-dir={build_dir} python install.py"], "results_dir": "results",
    }  # fmt: skip
    files = {"asv.conf.json": json.dumps(settings), "benchmarks/__init__.py": "", "benchmarks/steps.py": BENCHMARK}
    for name, content in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(content)
    _asv(folder, "machine", "--yes")


def _commit(folder: str, kind: str, ratio: float, name: str) -> str:
    """Commit a program and tag it, unless this was done; twins are two commits. Returns the tag."""
    project, tag = os.path.join(folder, "project"), f"{name}-{ratio:.2f}"
    if tag in run([*GIT, "tag"], project).split():
        return tag
    packages = "\n".join(path for path in sys.path if path.endswith("-packages"))
    files = {"program.py": source(kind, ratio), "name.txt": tag, "install.py": INSTALL.format(packages=packages)}
    for file, content in files.items():
        with open(os.path.join(project, file), "w", encoding="utf-8") as opened:
            opened.write(content)
    run([*GIT, "add", "."], project)
    run([*GIT, "commit", "--quiet", "--message", tag], project)
    run([*GIT, "tag", tag], project)
    return tag


def _samples(folder: str, tag: str) -> list[float]:
    from asv.results import iter_results

    revision = run([*GIT, "rev-parse", tag], os.path.join(folder, "project")).strip()
    (found,) = (result for result in iter_results(os.path.join(folder, "results")) if result.commit_hash == revision)
    (samples,) = found.get_result_samples("steps.time_step", [])
    return [float(sample) for sample in samples]
