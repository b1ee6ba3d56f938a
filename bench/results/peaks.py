"""Peak performance from NVIDIA's datasheets by driver name: dense FLOP/s by precision, and memory in bytes/s.

Dense means without sparsity. Datasheets often print the figures with 2:4 sparsity, which are twice as large.
"""

from typing import NamedTuple, Optional


class Peak(NamedTuple):
    """FLOP/s outside tensor cores (fp32) and inside them (tf32, bf16), without sparsity; memory in bytes/s."""

    fp32: float
    tf32: float
    bf16: float
    bytes_s: float


# NVIDIA's datasheets of the H200 (2024), the H100 (2023) and the A100 (2021), form factor SXM.
PEAKS = {
    "NVIDIA H200": Peak(67e12, 494.7e12, 989.5e12, 4.8e12),
    "NVIDIA H100 80GB HBM3": Peak(67e12, 494.7e12, 989.5e12, 3.35e12),
    "NVIDIA A100-SXM4-80GB": Peak(19.5e12, 156e12, 312e12, 2.039e12),
    "NVIDIA A100-SXM4-40GB": Peak(19.5e12, 156e12, 312e12, 1.555e12),
}


def of(gpu: Optional[str]) -> Optional[Peak]:
    """Return the peak of a GPU, or None if its datasheet is not listed."""
    return PEAKS.get(gpu or "")
