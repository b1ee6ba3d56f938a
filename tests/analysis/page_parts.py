"""Results in which three environments measured one network, and pages of them."""

import campaign
import shown
from shown import PAYLOAD

from bench.proof.parity import Comparison, Pair

CASES = [campaign.case(name) for name in ("red", "blue", "green")]


def times(about, number):
    return "failed" if about["environment"] == "green" else campaign.noisy({"red": 0.010, "blue": 0.013})(about, number)


def found(folder, cases, times, matrix=(), rounds=5):
    return shown.found(folder, campaign.lines(cases, times, rounds=rounds), matrix=matrix)


def comparison(error):
    return Comparison(errors={"outputs": error, "losses": 0.0}, worst={})


def row(a, b, error):
    reason = "" if error <= 1e-4 else PAYLOAD
    return Pair("mnist_mlp", "rmsprop", a, "eager", b, "eager", "0" * 16, comparison(error), reason)
