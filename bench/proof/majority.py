"""Does a majority agree with an answer? Judged from its comparisons with those of other environments."""

import ast
from typing import Any, Dict, List, NamedTuple, Sequence

from bench import registry
from bench.proof import parity

SIDES = ("environment_a", "environment_b")  # of a comparison
LEAST_OTHERS = 3  # frameworks that have answered beside its own, before an answer can be called the odd one


class Verdict(NamedTuple):
    """Whether a subject may be measured, and if not, why."""

    passes: bool
    reason: str


def verdict(rows: List[Dict[str, Any]], among: Sequence[Dict[str, Any]] = ()) -> Verdict:
    """Say whether a majority agrees with an answer, from its comparisons with those of other environments.

    And whether it is not far from them all, for no stated reason, where comparisons of those `among` themselves tell.
    """
    if not rows:
        return Verdict(False, "no other environment has answered this question yet: there is nothing to agree with")
    agree = [row for row in rows if row["passes"]]
    if 2 * (len(agree) + 1) > len(rows) + 1:
        return _unless_far(rows, among, "agrees with %d of %d" % (len(agree), len(rows)))
    return Verdict(False, "agrees with only %d of %d; %s" % (len(agree), len(rows), _first_failure(rows)))


def _between_frameworks(rows, framework, without=None):
    """Return the comparisons of two frameworks' answers, neither of them `without`."""
    pairs = [(row["comparison"], {framework[row[side]] for side in SIDES}) for row in rows]
    return [comparison for comparison, pair in pairs if comparison and len(pair) == 2 and without not in pair]


def _times_as_far(rows, among):
    """Return {kind: (times, where)}: how far an answer is from those of all other frameworks (parity.times_as_far).

    Nothing as long as fewer than LEAST_OTHERS of them have answered: there is no telling which one is odd. Environments
    of one framework share its model files, and so what is wrong in them.
    """
    known = registry.environments()
    names = {row[side] for row in [*rows, *among] for side in SIDES}
    framework = {name: known[name].framework if name in known else name for name in names}
    own = framework[rows[0]["environment_a"]]
    if len({framework[row["environment_b"]] for row in rows} - {own}) < LEAST_OTHERS:
        return {}
    between = _between_frameworks(among, framework, without=own)
    return parity.times_as_far(_between_frameworks(rows, framework), between)


def _unless_far(rows, among, agreement):
    """Return the verdict on an answer that most agree with: it fails where it is far from all, for no stated reason."""
    found, reasons = _times_as_far(rows, among), differs(rows[0]["workload"], rows[0]["environment_a"])
    far = {kind: how for kind, how in found.items() if not how[0] <= parity.FAR[kind]}
    told = [_far(kind, *how, reason=reasons.get(kind)) for kind, how in far.items()]
    unexplained = [kind for kind in far if kind not in reasons]
    if unexplained:
        todo = "Unless it is a defect, state DIFFERS in the model file (bench/frameworks/README.md)."
        told.append("%s %s" % (parity.likely_cause(unexplained), todo))
    return Verdict(not unexplained, "; ".join([agreement] + told))


def _far(kind, times, where, reason):
    told = "its %s%s %.0f times as far from the nearest other framework's as those are from each other" % (
        kind, "" if kind == "outputs" else " at " + where, times)  # fmt: skip
    return "%s: %s" % (told, reason or "at most %d times is allowed" % parity.FAR[kind])


def differs(workload: str, environment: str) -> Dict[str, str]:
    """Return {kind: why it must be another here}: DIFFERS of the model file, read without importing its framework.

    A text is about outputs.
    """
    known = registry.environments()
    if environment not in known:
        return {}
    with open(registry.model_path(known[environment], workload), encoding="utf-8") as file:
        assigned = [node for node in ast.parse(file.read()).body if isinstance(node, ast.Assign)]
    stated = [node.value for node in assigned if getattr(node.targets[0], "id", "") == "DIFFERS"]
    reasons = ast.literal_eval(stated[-1]) if stated else {}
    return {str(kind): str(why) for kind, why in reasons.items()} if isinstance(reasons, dict) else {"outputs": reasons}


def _first_failure(rows):
    """Say why a comparison failed: with a framework of today, if one disagrees, in the first of its modes that does."""
    known = registry.environments()
    failed = [row for row in rows if not row["passes"]]
    row = min(failed, key=lambda row: not getattr(known.get(row["environment_b"]), "is_default", False))
    return "against %s (%s): %s" % (row["environment_b"], row["mode_b"], row["reason"])
