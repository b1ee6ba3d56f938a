"""Open a campaign: its first lines say what the bench is, each environment, and what the devices give at most."""

from typing import Any

from bench import files, oracle, own_controls, registry
from bench.campaign import campaign as campaigns
from bench.campaign import preflight, report, rounds
from bench.campaign.campaign import CampaignFile
from bench.cases import TASKS, Case
from bench.driver import variables
from bench.results import records
from bench.results.lines import Bench, Ceiling, Environment, Machine

CEILING_TIMEOUT_S = 120.0


def _described(campaign: str, name: str, prepared: preflight.Prepared, threads: int) -> Environment:
    environment, reply = prepared.environments[name], prepared.probes[name]
    documented = [(task, registry.modes(environment, task)) for task in TASKS]
    return Environment(
        campaign=campaign, environment=name, title=environment.title, framework=environment.framework,
        color=environment.color, marker=environment.marker, python=reply["python"], device=reply["device"],
        loaded=reply["loaded"], packages=reply["packages"], libraries=reply["libraries"],
        default_mode=environment.modes[0].name,
        default_modes={task: modes[0].name for task, modes in documented if modes},
        modes={mode.name: mode.compiles for mode in environment.modes},
        variables={key: variables.fill(value, threads, "{cache}") for key, value in environment.variables.items()},
        inherited={**variables.inherited(environment)},
    )  # fmt: skip


def begin(
    cases: list[Case],
    plan: rounds.Plan,
    prepared: preflight.Prepared,
    place: dict[str, Any],
    below: tuple[str, ...] = (),
) -> CampaignFile:
    """Open the campaign these cases belong to, with one record of the bench and one of each environment.

    It lies in the machine's results folder, or in the folder `below` it.
    """
    head, is_dirty = campaigns.revision()
    setting = plan.setting
    bench = Bench(
        campaign="unnamed", schema_version=1, started=files.now(),
        profile=setting.profile.name,  # type: ignore[arg-type]
        budget_s=plan.budget_s or 0, seed=setting.seed, threads=setting.threads, cases=[*cases], revision=head,
        is_dirty=is_dirty, machine=Machine(**place), telemetry=setting.watch.about if setting.watch else None,
    )  # fmt: skip
    campaign = campaigns.begin(prepared.arguments.results, bench, not prepared.arguments.fresh, below)
    described = {line.environment for line in records.of_class(campaign.lines, Environment)}
    for name in sorted(set(prepared.probes) - described):
        campaign.write(_described(campaign.name, name, prepared, setting.threads))
    return campaign


def find_ceilings(cases: list[Case], campaign: CampaignFile, prepared: preflight.Prepared) -> None:
    """Write what each framework gets out of the devices that `cases` are measured on, once a campaign.

    Before the first round, alone on the machine, some seconds each: what a run reaches is shown as a share of the best
    of these, and a run that is faster than the machine is refused. A framework without such controls is left out.
    """
    for workload in sorted({case.workload for case in cases if not oracle.is_known(case.workload)}):
        prepared.say(
            "%s: no bench/oracle/%s.py says what a step costs: not held against the machine" % (workload, workload)
        )
    done = {(line.environment, line.device, line.precision) for line in records.of_class(campaign.lines, Ceiling)}
    for name, device, precision in sorted({(case.environment, case.device, case.precision) for case in cases} - done):
        if not set(own_controls.NEEDS) <= set(own_controls.names(prepared.environments[name])):
            continue
        reply = prepared.ask(name, CEILING_TIMEOUT_S, request="ceiling", device=device, precision=precision)
        line = campaign.write(Ceiling(
            campaign=campaign.name, environment=name, device=device, precision=precision,  # type: ignore[arg-type]
            matmul_flops_s=reply.get("matmul_flops_s"), copy_bytes_s=reply.get("copy_bytes_s"), reason=reply["reason"],
        ))  # fmt: skip
        prepared.say("%-18s %s, %s: %s" % (name, device, precision, report.ceiling(line)))
