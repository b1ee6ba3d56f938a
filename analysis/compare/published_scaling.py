"""How many times as fast a training is on several devices as on one, in published tables. Standard library only."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from analysis import literature
from analysis.groups import grouped
from analysis.literature import Figure

HARDWARE = re.compile(r"(\d+) x (.+)")  # as "4 x V100, CUDA 9, cuDNN 7"
TIMES = ("s", "min")  # units in which less is faster; others are rates
EFFICIENCY = "scaling efficiency"  # a metric: the speed-up over the number of devices


class Scaling(NamedTuple):
    """A published training on `devices` devices; `speed_up` is how many times as fast it is as on one."""

    source: str
    table: str
    workload: str
    framework: str
    devices: int
    hardware: str  # of one device
    speed_up: float

    @property
    def efficiency(self) -> float:
        """The share of a speed-up that is equal to the number of devices."""
        return self.speed_up / self.devices


def published(figures: Sequence[Figure]) -> list[Scaling]:
    """Return the speed-ups in published numbers, in their order: a number of several devices beside that of one."""
    known = [(match, each) for each in figures if each.value and (match := HARDWARE.fullmatch(each.hardware))]
    found = []
    for same in grouped(known, lambda pair: pair[1]._replace(hardware=pair[0][2], value="", note="")).values():
        one = next((float(each.value) for match, each in same if match[1] == "1"), None)
        for match, each in same:
            devices, value = int(match[1]), float(each.value)
            if each.metric == EFFICIENCY:
                speed_up = value / 100 * devices
            elif one is None or devices == 1:
                continue
            else:
                speed_up = one / value if each.unit in TIMES else value / one
            found.append(Scaling(each.source, each.table, each.workload, each.framework, devices, match[2], speed_up))
    return found


def known() -> list[Scaling]:
    """Return the speed-ups in all published numbers (analysis/published/figures.csv)."""
    return published(literature.figures())
