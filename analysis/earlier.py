"""What an older campaign measured, and the newest that asked the same question did not ask for.

A page shows of each question the campaign that asked it last, since only its answers share rounds. What that one left
out, as a framework of another time, is not gone: it is told with its day, and compared with nothing.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from analysis import interval
from analysis.campaigns import Campaign
from analysis.outcomes import Outcome
from bench import records
from bench.cases import Case

Key = tuple[str, str]  # a machine, and the text of a question


class Older(NamedTuple):
    """What came of one case in an older campaign: it has a time."""

    campaign: Campaign
    outcome: Outcome

    @property
    def title(self) -> str:
        """Of the environment, as the campaign names it."""
        return self.campaign.title(self.outcome.case.environment)

    @property
    def is_default(self) -> bool:
        """Whether the mode was its environment's documented one."""
        case = self.outcome.case
        return records.default_mode(self.campaign.environments.get(case.environment, {}), case.task) == case.mode

    @property
    def mean_s(self) -> float:
        """The geometric mean over rounds, in seconds per step, or per epoch."""
        return interval.geometric_mean(self.outcome.step_s)


def found(shown: Sequence[Campaign], last: Mapping[Key, Campaign]) -> dict[Key, list[Older]]:
    """Return, by machine and question, the newest time of each case that the last campaign to ask it left out.

    `shown` are the campaigns that are concluded from, the newest last; `last` are those that asked each question last.
    """
    asked = {id(each): {Case(**case) for case in each.bench["cases"]} for each in last.values()}
    newest: dict[Key, dict[Case, Older]] = {}
    for campaign in shown:
        for outcome in campaign.outcomes.cases:
            if outcome.step_s:
                key = campaign.machine, outcome.case.question
                newest.setdefault(key, {})[outcome.case] = Older(campaign, outcome)
    left_out = {
        key: [each for case, each in own.items() if each.campaign is not last[key] and case not in asked[id(last[key])]]
        for key, own in newest.items()
    }
    return {key: own for key, own in left_out.items() if own}
