"""Sketches of each workload's canonical weights: what an answer's weights moved away from.

Those of large networks are kept in `starts.npz`, because to draw 144 million numbers takes seconds. They are used while
the statement is the one that they were made of, and computed otherwise. `python -m bench.proof.starts` writes the file
anew.
"""

import functools
import os
from typing import Dict

import numpy as np

from bench import answer, registry
from bench.proof import proof_hashes

PATH = os.path.join(registry.HERE, "proof", "starts.npz")


def of(workload: str) -> Dict[str, np.ndarray]:
    """Return {name: sketch (WIDTH,)} of the weights that parity starts from."""
    return _of(workload, proof_hashes.problem_hash(workload))


@functools.lru_cache(maxsize=None)
def _of(workload, problem):
    with np.load(PATH, allow_pickle=False) as kept:
        key = workload + ".problem"
        if key in kept.files and str(kept[key]) == problem:
            return dict(zip(kept[workload + ".names"].tolist(), kept[workload + ".sketches"]))
    return computed(workload)


def computed(workload: str) -> Dict[str, np.ndarray]:
    """Draw the canonical weights, and return the sketch of each."""
    weights = registry.workload(workload).weights(np.random.RandomState(0))
    return {name: answer.sketch(value) for name, value in sorted(weights.items())}


def write(path: str = PATH) -> None:
    """Write the sketches of all large networks."""
    arrays = {}
    for workload in filter(registry.is_large, registry.workload_names()):
        sketches = computed(workload)
        arrays[workload + ".problem"] = np.array(proof_hashes.problem_hash(workload))
        arrays[workload + ".names"] = np.array(list(sketches))
        arrays[workload + ".sketches"] = np.stack(list(sketches.values()))
    np.savez_compressed(path, **arrays)


if __name__ == "__main__":
    write()
