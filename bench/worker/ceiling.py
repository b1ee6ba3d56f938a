"""The most that a framework gets out of a device: large matrix products, and memory read and written in a large array.

Both are timed as everything is, in blocks with one wait at their end (bench/measure.py).
"""

from typing import Any, Dict, Optional

from bench import measure

NEEDS = ("MatrixProduct", "Copy")  # what a framework's controls.py must define
SIDES = {"cpu": 2048, "gpu": 8192}  # of the matrices: large enough to fill a device, small enough for 0.2 s a product
COUNTS = {"cpu": 2**26, "gpu": 2**28}  # float32 numbers of the array: 256 MiB and 1 GiB, more than caches hold
BLOCK_S = 0.1
BLOCKS = 5


def fastest_s(program: Any, cores: Optional[int] = None) -> float:
    """Return the seconds of a step in the fastest of BLOCKS blocks: a ceiling is no average.

    Where `cores` do nothing but compute, their processor time counts if that is less: what other processes took of a
    busy machine must not make it look slow, or honest runs in a quiet moment would be refused as impossible.
    """
    measure.block(program, None, 1)  # loads libraries, selects kernels
    steps = measure.steps_per_block(max(measure.block(program, None, 1)[0], measure.SHORTEST_S), 0.0, BLOCK_S)
    blocks = [measure.block(program, None, steps) for _ in range(BLOCKS)]
    return min(min(wall, cpu / cores) if cores else wall for wall, cpu, _ in blocks) / steps


def find(controls: Any, device: str, cores: int, precision: str) -> Dict[str, float]:
    """Return `matmul_flops_s` and `copy_bytes_s` of `device`, by the programs that `controls` defines."""
    product = controls.MatrixProduct(SIDES[device], device, precision)
    found = {"matmul_flops_s": product.flops / fastest_s(product, cores if device == "cpu" else None)}
    copy = controls.Copy(COUNTS[device], device)
    return dict(found, copy_bytes_s=copy.bytes / fastest_s(copy))
