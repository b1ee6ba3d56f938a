"""Claims, and results that decide them."""

import campaign

from analysis.estimate.estimates import estimate_all
from analysis.lessons import judge_claims
from analysis.literature import Claim
from analysis.load.table import read_results

MODES = ("eager", "compiled")
NAMES = ("red", "blue", "green")
CASES = [campaign.case(name) for name in NAMES]


def results(folder, times, cases, rounds=6):
    return read_results(campaign.write(folder, campaign.lines(cases, times, rounds=rounds)))


def by_mode(eager, compiled, seed=0):
    noise = campaign.noisy(dict.fromkeys(NAMES, 1.0), noise=0.005, seed=seed)
    return lambda about, number: noise(about, number) * (eager if about["mode"] == "eager" else compiled)


def in_both_modes():
    return [campaign.case(name, mode) for name in NAMES for mode in MODES]


def claim(contrast, expected="> 1", **more):
    usual = dict.fromkeys(Claim._fields, "") | {"id": "a-claim", "claim": "A claim", "value_then": "2"}
    return Claim(**{**usual, "contrast": contrast, "expected": expected, **more})


def judged(found, *claims):
    lessons = judge_claims(claims, found, estimate_all(found))
    return lessons[0] if len(claims) == 1 else lessons


RED_OVER_BLUE = claim("environment=red / environment=blue")
COMPILING = claim("compiles=no / compiles=yes", where="task=train|infer")


def with_first_steps(folder, cold, warm=1.0):
    """Six rounds in both modes, three of them cold: by what factor the compiler lengthens a first step."""
    lines = campaign.lines(in_both_modes(), by_mode(0.02, 0.01), rounds=6)
    for place, line in enumerate(line for line in lines if line["kind"] == "run"):
        line["cache"] = "cold" if line["round"] <= 3 else "warm"
        factor = {"cold": cold, "warm": warm}[line["cache"]] if line["case"]["mode"] == "compiled" else 1.0
        line["first_step_s"] = factor * (1 + 0.001 * place)
    return read_results(campaign.write(folder, lines))
