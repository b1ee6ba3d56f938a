"""How much of its machine a run uses: of a product and a copy measured there, of the datasheet's peak, and energy."""

from typing import NamedTuple

from bench import ablations
from bench.results import peaks, plausible
from bench.results.lines import Epochs, Run
from bench.results.plausible import Context

COLUMNS = ("flops_s", "of_product", "of_peak", "of_copy", "energy_j")


class Shares(NamedTuple):
    """Achieved FLOP/s, shares of 1, and joules per step; None where a cost, a ceiling or the energy is not known.

    `of_product` and `of_peak` are the model FLOPs utilisation (MFU, arXiv:2204.02311). The base of `of_product` is the
    best matrix product that any environment measured on the machine, that of `of_peak` the datasheet. `of_copy` is the
    least traffic of memory, against the measured bandwidth. It is a lower bound, and passes 1 if caches are faster.
    `energy_j` is that of the GPU's board: its mean power while the run was timed, times the time of a step or epoch.
    On several devices, shares are of all of them, and so is the energy.
    """

    flops_s: float | None = None
    of_product: float | None = None
    of_peak: float | None = None
    of_copy: float | None = None
    energy_j: float | None = None


def of(run: Run | Epochs, time_s: float, about: Context) -> Shares:
    """Return the shares of a run, from its step or epoch, of what its campaign says that the machine can do."""
    energy_j, cost = _energy_j(run, time_s), plausible.work(run)
    if cost is None:
        return Shares(energy_j=energy_j)
    ceiling = about.ceilings.get((run.case.device, run.case.precision))
    peak, devices = peaks.of(about.gpu) if run.case.device == "gpu" else None, ablations.devices(run.case.mode)
    rate = cost.flops / time_s
    return Shares(
        flops_s=rate,
        of_product=rate / devices / ceiling.flops_s if ceiling else None,
        of_peak=rate / devices / float(getattr(peak, run.case.precision)) if peak else None,
        of_copy=cost.least_bytes / time_s / devices / ceiling.bytes_s if ceiling else None,
        energy_j=energy_j,
    )


def _energy_j(run: Run | Epochs, time_s: float) -> float | None:
    """Return the energy of `time_s` at the run's mean power, by the GPU's counter; None if it is not known."""
    gpu = run.machine_state.gpu if run.machine_state else None
    if gpu is None or gpu.energy_j is None or not gpu.energy_window_s:
        return None
    return gpu.energy_j / gpu.energy_window_s * time_s
