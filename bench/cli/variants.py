"""Check what changes a program: each ablation by its parity, and each loader by a short run that compares its batches.

An ablation that computes the same must agree with the other frameworks; one that does not must differ from the program
as it was. A loader is fed to the lightest network that was asked for: what it brings does not depend on the network.
"""

import functools
import tempfile
from typing import Dict, List

from bench import ablations, feeding, proof, registry
from bench.campaign import preflight
from bench.cases import FED, LESSONS, PIPELINES, Case, Selection, most_workers, select
from bench.cli.outcomes import BROKE, OK, UNSUPPORTED, WARNING, Row
from bench.data import photographs
from bench.driver import processes
from bench.errors import DefinitionError, MissingDataError

BATCH, PHOTOGRAPHS = 8, 16  # of a pass: two batches, of which each can be taken for the other
NUMBERS = 0, 2  # of loaders that have a number only where it is asked for
LOADERS_TIMEOUT_S = 1800.0


def look(prepared: preflight.Prepared) -> List[Row]:
    """Return a row for each ablation and each loader of what was named."""
    return steps(prepared) + loaders(prepared)


def steps(prepared: preflight.Prepared) -> List[Row]:
    """Judge each ablation by its parity; answers that were kept for this code are not asked for again."""
    arguments = prepared.arguments
    asked = Selection(arguments.workload, arguments.environment, suite=LESSONS, first_only=True, precisions=["fp32"])
    cases = {proof.subject_of(case): case for case in _selected(asked, prepared) if ablations.split(case.mode)[1]}
    refused = preflight.unproven(list(cases.values()), prepared)
    return [_judged(subject, refused.get(case.id)) for subject, case in cases.items()]


def _judged(subject, refused):
    of = "%s (%s) %s/%s" % subject
    if refused:
        return Row("ablation", of, WARNING if refused[0] == UNSUPPORTED else BROKE, refused[1])
    is_same = ablations.is_same(subject.mode)
    return Row("ablation", of, OK, "computes the same" if is_same else "differs from the program as it was, as stated")


def loaders(prepared: preflight.Prepared) -> List[Row]:
    """Let each loader feed a network for two passes, in one process for each environment."""
    cases = {name: most_workers(fed(prepared, name)) for name in sorted(prepared.probes)}
    cases = {name: own for name, own in cases.items() if own}
    found: Dict[str, List[Row]] = {}
    if not cases:
        return []
    with tempfile.TemporaryDirectory() as data:
        try:
            photographs.prepare([case for own in cases.values() for case in own], data, "", prepared.say)
        except MissingDataError as error:
            return [Row("loader", ", ".join(cases), WARNING, str(error))]

        def feed(name: str) -> None:
            found[name] = _fed(prepared, name, cases[name], data)

        processes.side_by_side([functools.partial(feed, name) for name in cases], preflight.JOBS)
    return [row for name in cases for row in found[name]]


def _fed(prepared, name, cases, data):
    reply = prepared.ask(name, LOADERS_TIMEOUT_S, request="loaders", cases=[case._asdict() for case in cases],
                         device=prepared.devices[name], data=data)  # fmt: skip
    checks = reply.get("checks") or [[reply["status"], reply["reason"]]] * len(cases)
    rows = [_brought(case, *outcome) for case, outcome in zip(cases, checks)]
    broken = sum(row.outcome == BROKE for row in rows)
    prepared.say("loaders  %s: %d of %d bring what is in the files" % (name, len(rows) - broken, len(rows)))
    return rows


def _brought(case, status, reason):
    of = "%s %s/%s" % (case.workload, case.environment, case.mode)
    if status == "ok":
        return Row("loader", of, OK, "brings what is in the files, in each of its passes")
    return Row("loader", of, WARNING if status == UNSUPPORTED else BROKE, reason)


def fed(prepared: preflight.Prepared, name: str) -> List[Case]:
    """Return the cases of an environment's loaders, of the lightest network that was asked for."""
    arguments, row = prepared.arguments, prepared.environments[name]
    if arguments.environment and name not in arguments.environment:
        return []
    networks = [each for each in feeding.WORKLOADS if not arguments.workload or each in arguments.workload]
    asked = Selection(
        [each for each in networks if (name, each) in prepared.proofs][:1], [name], batch_sizes=[BATCH],
        examples=PHOTOGRAPHS, suite=PIPELINES, first_only=True, precisions=["fp32"],
    )  # fmt: skip
    if not asked.workloads:
        return []
    documented = registry.modes(row, FED[0])[0].name
    if_asked = [ablations.SIGN.join([documented, each, str(number)]) for each in ablations.names()
                for number in NUMBERS if getattr(ablations.statement(each), "NUMBERS", None) == ()]  # fmt: skip
    cases = [case for modes in ([], if_asked) for case in _selected(asked._replace(modes=modes), prepared)]
    return [case for case in cases if ablations.fed(case.mode)[1]]


def _selected(asked, prepared):
    """Return the cases of environments that are here and have a model file; none where there is no such case."""
    try:
        cases = select(asked, {name: prepared.devices[name] for name in prepared.probes},
                       prepared.arguments.frameworks)  # fmt: skip
    except DefinitionError:
        return []
    return [case for case in cases if (case.environment, case.workload) in prepared.proofs]
