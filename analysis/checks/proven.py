"""Recompute which code a run measured: the hashes of its model file and of its parity proof, now or in a revision."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from analysis import inputs, revisions

# Run in the folder of a revision, by that revision's own rules of what a proof is made of.
SCRIPT = """
import json, os, sys
from bench import proof, registry
known, found = registry.environments(), []
for workload, name, loaded, mode in json.load(sys.stdin):
    path = registry.model_path(known[name], workload) if name in known else ""
    is_stated = workload in registry.workload_names() and os.path.exists(path)
    own = proof.proof_hash(workload, known[name], loaded) if is_stated else ""
    own = proof.of_mode(own, known[name], mode) if own and mode else own
    found.append([proof.code_hash(path), own] if is_stated else None)
print(json.dumps(found))
"""
TIMEOUT_S = 600  # some hundred slices, where other work shares the processor


class Asked(NamedTuple):
    """What a hash is of: a workload as one environment answers it, with the versions that it loaded."""

    workload: str
    environment: str
    loaded: tuple[tuple[str, str | None], ...]
    mode: str = ""  # where an ablation changes one thing of it


class Hashes(NamedTuple):
    """What a run of that code names."""

    code: str
    proof: str


def now(asked: Sequence[Asked]) -> dict[Asked, Hashes]:
    """Return the hashes of the files as they are now; without those that are not there."""
    return _hashes(asked, inputs.ROOT)


def then(asked: Sequence[Asked], revision: str) -> dict[Asked, Hashes]:
    """Return the hashes of the files as a revision has them; none where git does not know it."""
    with revisions.source(revision) as folder:
        return _hashes(asked, folder) if folder else {}


def run(script: str, question: object, folder: Path) -> Any:
    """Run a script by the code in a folder, with a question as its input; both that and its answer are JSON.

    Raises SubprocessError if the script fails.
    """
    variables = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run([sys.executable, "-B", "-c", script], cwd=folder, env=variables, input=json.dumps(question),
                          capture_output=True, text=True, timeout=TIMEOUT_S, check=True)  # fmt: skip
    return json.loads(done.stdout)


def _hashes(asked: Sequence[Asked], folder: Path) -> dict[Asked, Hashes]:
    try:
        found = run(SCRIPT, [(*each[:2], dict(each.loaded), each.mode) for each in asked], folder)
    except subprocess.SubprocessError:
        return {}
    return {each: Hashes(*hashes) for each, hashes in zip(asked, found, strict=True) if hashes}
