"""Short stable names of machines, made from their hardware: a GPU's, or a processor's with its number of CPUs."""

import re
from collections.abc import Mapping

from bench.results.lines import Machine

# (vendor, family, models) -> microarchitecture, as the vendors' programming manuals number them.
GENERATIONS = (
    ("AMD", 23, range(49, 50), "Zen 2"),
    ("AMD", 25, range(1, 2), "Zen 3"),
    ("AMD", 25, range(16, 32), "Zen 4"),
    ("AMD", 25, range(160, 176), "Zen 4c"),
    ("AMD", 26, range(256), "Zen 5"),
    ("Intel", 6, range(85, 86), "Skylake"),
    ("Intel", 6, range(106, 107), "Ice Lake"),
    ("Intel", 6, range(143, 144), "Sapphire Rapids"),
    ("Intel", 6, range(207, 208), "Emerald Rapids"),
)
MADE = re.compile(r"family (\d+), model (\d+)")
NOISE = re.compile(r"\((?:R|TM|r|tm)\)|\b(?:NVIDIA|AMD|Intel|Processor|CPU|HBM\w*|PCIe|SXM\d*)\b|@.*|\(family.*?\)")


def short_names(machines: Mapping[str, Machine]) -> dict[str, str]:
    """Return a short name for each machine, given the record of each under its recorded name.

    The first machine of some hardware is named by the hardware. Later ones of the same hardware get their recorded
    names as well, so that a new machine never renames an older one.
    """
    names: dict[str, str] = {}
    for name, machine in machines.items():
        short = short_name(machine)
        names[name] = f"{short} [{name}]" if short in names.values() else short
    return names


def short_name(record: Machine) -> str:
    """Return a machine's short name, from the record that its campaign begins with."""
    if record.gpu:
        return _bare(record.gpu)
    made = MADE.search(record.cpu)
    family, model = (int(made[1]), int(made[2])) if made else (0, 0)
    names = [name for vendor, kin, models, name in GENERATIONS
             if vendor in record.cpu and kin == family and model in models]  # fmt: skip
    known = [*names, f"family {family}, model {model}"][0] if made else ""
    return f"{_bare(record.cpu)}{f' ({known})' if known else ''}, {record.logical_cpus} CPUs"


def _bare(text: str) -> str:
    return " ".join(NOISE.sub(" ", text).split())
