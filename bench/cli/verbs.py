"""What the verbs of the command line do, but for `check` (bench/cli/check.py) and `controls` (bench/controls)."""

import argparse
import json
import os
import sys

from bench import cases as case_lists
from bench import dataset, machine, registry
from bench.campaign import estimates, opening, preflight, report, rounds
from bench.cases import Selection
from bench.cli import program_checks
from bench.data import photographs, prepare
from bench.driver import lock, node, telemetry
from bench.profiles import PROFILES
from bench.results import merging, schema


def selection(arguments: argparse.Namespace, first_only: bool) -> Selection:
    """Return what was asked for."""
    is_short = arguments.short and not arguments.workload
    return Selection(
        workloads=case_lists.SHORT if is_short else arguments.workload,
        environments=arguments.environment,
        modes=arguments.mode,
        tasks=arguments.task,
        over_data=case_lists.SHORT_OVER_DATA if is_short else (),
        precisions=arguments.precision or (["fp32"] if is_short or arguments.suite else []),
        batch_sizes=arguments.batch_size,
        optimizers=arguments.optimizer,
        tiers=arguments.tier,
        is_real=arguments.data == "real",
        images=arguments.images or "",
        examples=arguments.examples,
        first_only=first_only,
        documented_only=arguments.documented or (arguments.short and not arguments.mode),
        suite=arguments.suite,
    )


def budget_s(arguments: argparse.Namespace) -> float | None:
    """Return what a campaign may spend on runs, in seconds; None: as long as it takes."""
    if arguments.budget is not None:
        return float(arguments.budget)
    usual_s = PROFILES[arguments.profile].budget_s
    own_s = case_lists.SHORT_BUDGET_S if arguments.short else case_lists.SUITE_BUDGET_S.get(arguments.suite)
    return own_s if own_s and usual_s else usual_s


def do_list(arguments: argparse.Namespace) -> int:
    """List the cases of a selection."""
    known = registry.environments(arguments.frameworks)
    devices: dict[str, str | None] = dict.fromkeys(known)
    cases = case_lists.select(selection(arguments, False), devices, arguments.frameworks)
    if arguments.json:
        print(json.dumps([case._asdict() for case in cases], indent=1))
        return 0
    for case in cases:
        answers = registry.answers(known[case.environment], case.workload)
        print(case.id if answers else "%s  (no model file)" % case.id)
    return 0


def do_run(arguments: argparse.Namespace) -> int:
    """Measure a selection; print a table."""
    profile = PROFILES[arguments.profile]
    if arguments.suite:
        profile = profile._replace(min_rounds=min(profile.min_rounds, case_lists.SUITE_ROUNDS))
    if arguments.rounds:
        profile = profile._replace(min_rounds=min(profile.min_rounds, arguments.rounds), max_rounds=arguments.rounds)
    place = machine.describe(arguments.machine)
    folder = os.path.join(arguments.results, place["name"])
    number = node.number(arguments.nodes) if arguments.nodes else None
    with lock.alone(folder, number=number), telemetry.Watch(arguments.threads) as watch:
        report.say("Machine state: %s." % watch.about)
        prepared = preflight.prepare(arguments, report.say, place)
        cases = case_lists.select(selection(arguments, profile.first_only), prepared.devices, arguments.frameworks)
        known = estimates.as_before(arguments.results, place["name"], arguments.threads)
        listener = report.Listener(sys.stderr)
        plan = opening.setting(
            prepared, profile, known, dataset.default_folder(), watch=watch, budget_s=budget_s(arguments),
            begun=listener.begin,
        )  # fmt: skip
        campaign = opening.begin(cases, plan, prepared, node=number)

        def left() -> list[case_lists.Case]:
            return [case for case in cases if case.id not in refused]

        refused = preflight.unable(cases, prepared)
        refused |= rounds.left_out(left(), plan, campaign)
        refused |= preflight.unproven(left(), prepared)
        photographs.prepare(left(), plan.data, arguments.images or "", report.say)
        refused |= opening.refuse(left(), campaign, prepared)
        opening.find_ceilings(left(), campaign, prepared)
        with open(os.path.join(registry.STATE, "last-campaign"), "w") as file:
            file.write(os.path.abspath(campaign.path))
        plan = plan._replace(refused=refused)
        report.say("%s: %d cases into %s" % (profile.name, len(cases), os.path.relpath(campaign.path)))
        report.say(report.plan(rounds.outline(cases, plan), profile.min_rounds, plan.budget_s, campaign.spent_s()))
        reason = rounds.run(campaign, cases, plan, listener)
        report.say("Ended: %s." % reason)
    if not arguments.no_table:
        printed = [schema.content(line) for line in campaign.lines] if arguments.json else []
        print(json.dumps(printed, indent=1, sort_keys=True) if printed else report.table(campaign.lines))
    return 0


def do_parity(arguments: argparse.Namespace) -> int:
    """Let environments answer parity questions, and compare all answers."""
    with lock.alone():
        prepared = preflight.prepare(arguments, report.say)
        asked = selection(arguments, False)
        asked = asked._replace(
            tasks=asked.tasks or ([] if asked.suite else case_lists.STEPS),
            documented_only=arguments.documented or not (arguments.mode or arguments.all_modes),
        )
        cases = case_lists.select(asked, prepared.devices, arguments.frameworks)
        if asked.suite:
            return _proven(cases, prepared)
        failed = preflight.answer_all(preflight.subjects(cases, prepared), prepared)
    rows, stale = preflight.compare(prepared)
    print(report.parity_table(rows, stale))
    return 1 if failed or any(not pair.passes for pair in rows) else 0


def _proven(cases: list[case_lists.Case], prepared: preflight.Prepared) -> int:
    """Let what is changed prove what it says of itself: it is held against no pairs, of which there is no matrix."""
    absent = preflight.unable(cases, prepared)
    asked = [case for case in cases if case.id not in absent]
    refused = preflight.unproven(asked, prepared)
    for case_id, (status, reason) in sorted(refused.items()):
        print("%s: %s: %s" % (status, case_id, reason))
    print("%d of %d proven" % (len(asked) - len(refused), len(asked)))
    return 1 if refused else 0


def do_contract(arguments: argparse.Namespace) -> int:
    """Check the contract of adapters."""
    with lock.alone():
        prepared = preflight.prepare(arguments, report.say)
        broken = sum(row.outcome == program_checks.BROKE for row in program_checks.contract(prepared))
    print("%d broken" % broken)
    return 1 if broken or not prepared.probes else 0


def do_merge(arguments: argparse.Namespace) -> int:
    """Bring the campaigns of other folders into one results folder."""
    counts = merging.merge(arguments.folders, arguments.into)
    told = ", ".join(f"{counts[kind]} {kind}" for kind in merging.KINDS)
    print(f"Campaigns in {arguments.into}: {told}.")
    return 0


def do_data(arguments: argparse.Namespace) -> int:
    """Prepare data sets, or list them."""
    folder = os.path.abspath(os.path.expanduser(arguments.folder))
    if arguments.names and not arguments.list:
        for name in arguments.names:
            dataset.definition(name)  # a name that is wrong is better said before an hour of downloading
        for name in arguments.names:
            prepare.prepare(name, folder, arguments.offline, arguments.force, report.say)
        return 0
    rows = [prepare.describe(name, folder) for name in arguments.names or dataset.names()]
    print(json.dumps(rows, indent=1) if arguments.json else report.data_table(rows, folder))
    return 0
