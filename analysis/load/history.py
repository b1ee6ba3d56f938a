"""Current results: of each competitor the newest measurement that gave a time, with all rounds that measured the same.

A ratio is taken within a round, so that rounds of several campaigns of one machine belong to one comparison. They must
have measured the same: model file, parity proof, loaded versions, layout, in turns or alone. If one of these is newer,
earlier times are history. A failure never replaces a time: a competitor that a newer campaign left out, or could not
measure, keeps its last time. Its failure is reported in a note.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from analysis.groups import grouped
from analysis.load.campaigns import Campaign, question_of
from analysis.load.outcomes import Outcome, Provenance
from analysis.stats import Row
from bench.cases import Case

Key = tuple[str, str]  # a machine, and the text of a question

NOT_TRIED = ("over_budget", "absent", "not_run")  # what says nothing of the competitor itself


class Measured(NamedTuple):
    """What a time was measured with: times of one and the same are compared as if one campaign had measured them."""

    case: Case  # with its layout, which a question does not have
    loaded: tuple[tuple[str, str | None], ...]
    provenance: Provenance


class Standing(NamedTuple):
    """The current results of one competitor for one question."""

    case: Case
    campaigns: Sequence[Campaign]  # that its runs are taken from, oldest first: one, where there is no time
    provenance: Provenance | None  # of its times; None where there is none
    note: str | None  # why a newer campaign gave no time, where it tried


Asked = tuple[Campaign, Case, Outcome | None]


def standings(shown: Sequence[Campaign]) -> dict[Key, dict[Row, Standing]]:
    """Return current results, by machine and question and by competitor; `shown` are the campaigns, the newest last."""
    every = ((campaign, case, outcome) for campaign in shown for case, outcome in campaign.asked.items())
    questions = grouped(every, lambda asked: (asked[0].machine, question_of(asked[1], asked[0].threads)))
    return {key: {row: _standing(own) for row, own in grouped(question, _row).items()}
            for key, question in questions.items()}  # fmt: skip


def _row(asked: Asked) -> Row:
    return asked[1].environment, asked[1].mode


def measured(campaign: Campaign, outcome: Outcome) -> list[Measured]:
    """Return what the times of one case of a campaign were measured with: several, where its code changed meanwhile."""
    environment = campaign.environments.get(outcome.case.environment)
    versions = tuple(sorted(environment.loaded.items())) if environment else ()
    return [Measured(outcome.case, versions, each) for each in outcome.provenances]


def _standing(asked: Sequence[Asked]) -> Standing:
    """Return the current results of one competitor, from all its cases, the newest last."""
    times = [
        (place, each) for place, (campaign, _, outcome) in enumerate(asked) if outcome
        for each in measured(campaign, outcome)
    ]  # fmt: skip
    if not times:
        campaign, case, _ = next((each for each in reversed(asked) if _was_tried(each)), asked[-1])
        return Standing(case, [campaign], None, None)
    last, newest = times[-1]
    places = dict.fromkeys(place for place, each in times if each == newest)
    return Standing(newest.case, [asked[place][0] for place in places], newest.provenance, _note(asked[last + 1 :]))


def _was_tried(asked: Asked) -> bool:
    outcome = asked[2]
    return outcome is not None and outcome.lost not in NOT_TRIED


def _note(later: Sequence[Asked]) -> str | None:
    """Return why the newest campaign that tried gave no time."""
    for campaign, _, outcome in filter(_was_tried, reversed(later)):
        if outcome:
            return f"last tried on {campaign.day}: {str(outcome.lost).replace('_', ' ')}: {outcome.reason}"
    return None


def contributing(standing: Mapping[Row, Standing]) -> list[Campaign]:
    """Return the campaigns that a question's runs are taken from, oldest first."""
    known = {id(each): each for own in standing.values() for each in own.campaigns}
    return sorted(known.values(), key=lambda each: (each.began, each.name))


def by_campaign(
    standing: Mapping[Key, Mapping[Row, Standing]], shown: Sequence[Campaign]
) -> Iterator[tuple[Campaign, dict[Case, Standing]]]:
    """Yield each campaign that has current results, in their order, with those of its cases."""
    wanted: dict[int, dict[Case, Standing]] = {}
    for rows in standing.values():
        for own in rows.values():
            for campaign in own.campaigns:
                wanted.setdefault(id(campaign), {})[own.case] = own
    return ((each, wanted[id(each)]) for each in shown if id(each) in wanted)
