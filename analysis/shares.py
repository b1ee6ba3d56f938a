"""How much of its machine a run uses: of a matrix product and a copy measured there, and of the datasheet's peak."""

from typing import NamedTuple

from bench import peaks, plausible, records
from bench.plausible import Context
from bench.records import Record

COLUMNS = ("flops_s", "of_product", "of_peak", "of_copy")


class Shares(NamedTuple):
    """Achieved FLOP/s, and shares of 1; None where a cost or a ceiling is not known.

    `of_product` and `of_peak` are the model FLOPs utilisation (MFU, arXiv:2204.02311) against the best matrix product
    that any environment measured on the machine, and against the datasheet. `of_copy` is the least that must be read
    and written, against the measured bandwidth: a lower bound, which passes 1 where caches give what memory could not.
    """

    flops_s: float | None = None
    of_product: float | None = None
    of_peak: float | None = None
    of_copy: float | None = None


def of(run: Record, about: Context) -> Shares:
    """Return a run's shares, from its median step or epoch."""
    time_s = records.time_s(run)
    cost = plausible.work(run) if time_s else None
    if time_s is None or cost is None:
        return Shares()
    case, rate = run["case"], cost.flops / time_s
    ceiling = about.ceilings.get((case["device"], case["precision"]))
    peak = peaks.of(about.gpu) if case["device"] == "gpu" else None
    return Shares(
        flops_s=rate,
        of_product=rate / ceiling.flops_s if ceiling else None,
        of_peak=rate / float(getattr(peak, case["precision"])) if peak else None,
        of_copy=cost.least_bytes / time_s / ceiling.bytes_s if ceiling else None,
    )
