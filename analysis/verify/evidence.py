"""What hints look at: a campaign, the verdicts on it, and what was sampled while it ran."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from analysis.compare.baseline import CaseTimes
from analysis.load.campaigns import Campaign
from analysis.verify.bands import WHOLE, Verdicts

Record = dict[str, Any]


class Evidence(NamedTuple):
    """What hints look at."""

    yours: Campaign
    verdicts: Verdicts
    published: Sequence[Campaign]

    @property
    def machine(self) -> Record:
        """The record of this machine."""
        machine: Record = self.yours.bench["machine"]
        return machine

    @property
    def slower(self) -> list[tuple[CaseTimes, CaseTimes]]:
        """The cases that are slower than published, each beside the nearest published one.

        Alone, or with their environment; where neither is, but the whole: all that take longer.
        """
        slow = {group.title for group in self.verdicts.groups if group.place.verdict == "slower"}
        longer = [each for each in self.verdicts.cases if each.place and each.place.ratio.value > 1]
        own = [each for each in longer if each.verdict == "slower" or each.cell.title in slow]
        shown = own or (longer if WHOLE in slow else [])
        return [(each.cell, each.references[each.place.nearest]) for each in shown if each.place]

    @property
    def environments(self) -> list[tuple[Record, Record]]:
        """The environments with a slower case, each beside the published one."""
        found = {cell.case.environment: (cell.environment, nearest.environment) for cell, nearest in self.slower}
        return [found[name] for name in sorted(found)]

    @property
    def states(self) -> list[Record]:
        """What was sampled of the machine during the runs that have a time."""
        return [run["machine_state"] for run in self.yours.runs if run["status"] == "ok" and run.get("machine_state")]
