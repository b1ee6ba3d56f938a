"""Shared by the tests of checks: a campaign that can be taken, of an environment whose answer is kept."""

import campaign
import pytest
from checked import ANSWER, ENVIRONMENT, MACHINE, NAME, asked_of, case

from analysis.checks import proofs
from bench import proof


@pytest.fixture(scope="module")
def described():
    """The line of an environment whose versions are those of its kept answer."""
    return campaign.environment(ENVIRONMENT, NAME, loaded=proof.sound_answer(str(ANSWER))["about"]["loaded"])


@pytest.fixture(scope="module")
def hashes(described):
    """The hashes of the code as it is now."""
    (found_now,) = proofs.hashes([asked_of(described)]).values()
    return found_now


@pytest.fixture
def lines(described, hashes):
    """Return the lines of a campaign that can be taken."""
    code, proven_by = hashes
    ceiling = campaign.ceiling(ENVIRONMENT, 1e11, campaign=NAME)
    bench = {**campaign.bench([case()], NAME, MACHINE), "started": "2026-11-20T09:00:00Z", "revision": None}
    runs = [campaign.run(case(), number, 0.01, seed=number, campaign=NAME, code=code, proof=proven_by)
            for number in (1, 2, 3)]  # fmt: skip
    return [bench, described, ceiling, *runs, campaign.end(NAME)]
