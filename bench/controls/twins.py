"""Controls in which several names stand for one program: spread and planted.

- spread: how far two names for one program are apart, in each environment. The steadiest environment has the smallest
  standard deviation between rounds of the logarithm of the ratio of its two names. Disturbances that affect both names
  of a round alike are not in the ratio. This rule was stated before anything was measured.
- planted: the steadiest environment under many names, some of them made slower by a known share. The A/A and planted
  controls judge it. The key, which says what is planted in which competitor, is drawn at random. It is kept out of the
  results until the last run is in them, so that no estimate can know it.

Each name is a competitor in ordinary rounds, with the sampler beside them and the rules for void ones.
"""

import glob
import os
import random
import sys
from collections.abc import Sequence
from typing import Any

from bench import profiles, registry
from bench.campaign import estimates, opening, report, rounds
from bench.campaign.campaign import CampaignFile
from bench.campaign.preflight import Prepared
from bench.campaign.turns import Setting
from bench.cases import Case
from bench.controls import asking
from bench.controls.asking import LIGHT
from bench.driver.telemetry import Watch
from bench.errors import RecordError
from bench.results import records, spread
from bench.results.lines import End, Line, Run

SPREAD, PLANTED = "spread", "planted"
RUN_S = 8.0  # of a run on two cores: half of it imports a framework, and turns take as long
ROUNDS = {SPREAD: 6, PLANTED: 20}
TWINS = 5  # with nothing planted: 10 pairs of them, in two halves of ten rounds, are 20 real comparisons
PERCENT = (1, 2, 3, 5)
WAYS = ("device", "host")
KEYS = os.path.join(registry.STATE, "controls")


def _setting(prepared: Prepared, control: str, programs: dict[str, Case], **more: Any) -> Setting:
    """Return what the rounds of a control are made with in which each name stands for the program of a case.

    More names than memory holds, by what runs in this results folder needed, are measured in groups.
    """
    count = round_count(prepared, control)
    arguments, real = prepared.arguments, opening.setting(
        prepared, profiles.CONTROL._replace(min_rounds=count, max_rounds=count), **more
    )  # fmt: skip
    peaks = estimates.as_before(arguments.results, prepared.machine["name"], arguments.threads).memory_bytes
    named = {case._replace(environment=name).id: peaks.get(case.id) for name, case in programs.items()}
    return real._replace(
        pythons={name: real.pythons[case.environment] for name, case in programs.items()},
        environments={name: real.environments[case.environment] for name, case in programs.items()},
        proofs={(name, case.workload): real.proofs[case.environment, case.workload] for name, case in programs.items()},
        known=estimates.Known({}, {case_id: peak for case_id, peak in named.items() if peak}, {}),
    )


def round_count(prepared: Prepared, control: str) -> int:
    """Return the number of rounds: what was asked for, in spread at most the usual number."""
    usual, wanted = ROUNDS[control], int(prepared.arguments.rounds or ROUNDS[control])
    return min(usual, wanted) if control == SPREAD else wanted


def _pairs(prepared: Prepared) -> dict[str, Case]:
    """Return {name: what it stands for}: two names for the training steps of each environment that answers LIGHT."""
    return {f"{name}-{twin}": asking.first_case(prepared, LIGHT, name)
            for name in asking.answering(prepared, LIGHT) for twin in spread.NAMES}  # fmt: skip


def expected_s(prepared: Prepared, control: str) -> float:
    """Return the seconds of all rounds, and of the search for the steadiest environment if that was not made yet."""
    if control == SPREAD:
        return RUN_S * len(_pairs(prepared)) * round_count(prepared, SPREAD)
    search_s = 0.0 if newest(prepared) else expected_s(prepared, SPREAD)
    return search_s + len(plans()) * RUN_S * round_count(prepared, PLANTED)


def measure_spread(prepared: Prepared, _: str = SPREAD) -> None:
    """Measure both names of every environment in the same rounds, as a campaign measures competitors."""
    programs = _pairs(prepared)
    if not programs:
        prepared.say(f"{SPREAD}: no environment at hand answers {LIGHT}; nothing is measured")
        return
    cases = [case._replace(environment=name) for name, case in programs.items()]
    with Watch(prepared.arguments.threads) as watch:
        campaign = asking.begin(prepared, SPREAD, cases, watch=watch)
        rounds.run(campaign, cases, _setting(prepared, SPREAD, programs, watch=watch), report.Listener(sys.stderr))


def newest(prepared: Prepared) -> Sequence[Line]:
    """Return the lines of this machine's newest whole campaign of spread; none if there is none to be read.

    Campaigns from before competitors took turns have no runs and are skipped.
    """
    folder = os.path.join(prepared.arguments.results, prepared.machine["name"], "controls", SPREAD)
    for path in sorted(glob.glob(os.path.join(folder, "*.jsonl")), reverse=True):
        try:
            lines = records.read(path)
        except RecordError:
            continue  # the page says what is wrong with it
        if lines and isinstance(lines[-1], End) and records.of_class(lines, Run):
            return lines
    return []


def steadiest_case(prepared: Prepared) -> Case:
    """Return the training steps of LIGHT in the steadiest environment that was asked for.

    If spread was not measured here, it is the first environment.
    """
    steady = [name for name in spread.spreads(newest(prepared)) if name in prepared.names]
    return asking.first_case(prepared, LIGHT, steady[0] if steady else None)


def plans() -> list[tuple[str, int]]:
    """Return the (way, percent) that is planted in each competitor: percent 0 in the twins."""
    return [("device", 0)] * TWINS + [(way, percent) for way in WAYS for percent in PERCENT]


def measure_planted(prepared: Prepared, _: str = PLANTED) -> None:
    """Measure every competitor in every round, then disclose the key."""
    if not newest(prepared):
        measure_spread(prepared)
    case = steadiest_case(prepared)
    competitors = [f"competitor-{number:02d}" for number in range(1, len(plans()) + 1)]
    cases = [case._replace(environment=name) for name in competitors]
    with Watch(prepared.arguments.threads) as watch:
        campaign = _begin_planted(prepared, case, cases, watch)
        key = _key(campaign, competitors)
        setting = _setting(prepared, PLANTED, dict.fromkeys(competitors, case), watch=watch, planted=key)
        rounds.run(_Sealed(*campaign), cases, setting, report.Listener(sys.stderr))
    os.remove(_key_path(campaign))


def _begin_planted(prepared: Prepared, case: Case, cases: list[Case], watch: Watch) -> CampaignFile:
    """Open a campaign in which the environment of `case` has many names; its first line of control says which.

    An interrupted one goes on, unless its key is lost or another environment was the steadiest.
    """
    about = {"environment": case.environment, "mode": case.mode, "workload": case.workload}
    campaign = asking.begin(prepared, PLANTED, cases, watch=watch)
    said = [line.about for line in asking.lines_of(campaign)]
    if (said and said[0] != about) or (campaign.runs() and asking.kept(_key_path(campaign)) is None):
        campaign, said = asking.begin(prepared, PLANTED, cases, True, watch), []
    if not said:
        asking.write(campaign, PLANTED, about)
    return campaign


class _Sealed(CampaignFile):
    """A campaign that writes the key when its last run is in it."""

    def write(self, line: Any) -> Any:
        """Append one line, the key before the end unless it is there: a kill may come between the two."""
        if isinstance(line, End):
            about = {name: f"{way} {percent}" for name, (way, percent) in asking.kept(_key_path(self)).items()}
            if about not in [control.about for control in asking.lines_of(self)]:
                asking.write(CampaignFile(*self), PLANTED, about)
        return super().write(line)


def _key_path(campaign: CampaignFile) -> str:
    return os.path.join(KEYS, campaign.name + ".json")


def _key(campaign: CampaignFile, competitors: list[str]) -> dict[str, tuple[str, int]]:
    """Return what is planted in which competitor: drawn once, by the system's own chance, and kept for a resumption."""
    path = _key_path(campaign)
    if asking.kept(path) is None:
        drawn = plans()
        random.SystemRandom().shuffle(drawn)
        asking.keep(path, dict(zip(competitors, drawn)))
    return {name: (way, percent) for name, (way, percent) in asking.kept(path).items()}
