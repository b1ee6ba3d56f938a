"""Open a campaign: its first lines say what the bench is, each environment, and what the devices give at most."""

from typing import Any, Dict, List, Tuple

from bench import files, oracle, own_controls, registry
from bench.campaign import campaign as campaigns
from bench.campaign import preflight, report, rounds
from bench.campaign.campaign import CampaignFile
from bench.cases import TASKS, Case
from bench.driver import variables

CEILING_TIMEOUT_S = 120.0


def _environment_record(name: str, prepared: preflight.Prepared, threads: int) -> Dict[str, Any]:
    environment, reply = prepared.environments[name], prepared.probes[name]
    record = {field: getattr(environment, field) for field in ("title", "framework", "color", "marker")}
    record.update((field, reply[field]) for field in ("python", "device", "loaded", "packages", "libraries"))
    documented = [(task, registry.modes(environment, task)) for task in TASKS]
    return dict(
        record, kind="environment", environment=name, default_mode=environment.modes[0].name,
        default_modes={task: modes[0].name for task, modes in documented if modes},
        modes={mode.name: mode.compiles for mode in environment.modes},
        variables={key: variables.fill(value, threads, "{cache}") for key, value in environment.variables.items()},
        inherited=variables.inherited(environment),
    )  # fmt: skip


def begin(
    cases: List[Case],
    plan: rounds.Plan,
    prepared: preflight.Prepared,
    place: Dict[str, Any],
    below: Tuple[str, ...] = (),
) -> CampaignFile:
    """Open the campaign these cases belong to, with one record of the bench and one of each environment.

    It lies in the machine's results folder, or in the folder `below` it.
    """
    head, is_dirty = campaigns.revision()
    setting = plan.setting
    bench = {
        "kind": "bench", "schema_version": 1, "started": files.now(), "profile": setting.profile.name,
        "budget_s": plan.budget_s or 0, "seed": setting.seed, "threads": setting.threads,
        "cases": [dict(case._asdict()) for case in cases], "revision": head, "is_dirty": is_dirty, "machine": place,
    }  # fmt: skip
    if setting.watch:
        bench["telemetry"] = setting.watch.about
    campaign = campaigns.begin(prepared.arguments.results, bench, not prepared.arguments.fresh, below)
    described = {line["environment"] for line in campaign.lines if line["kind"] == "environment"}
    for name in sorted(set(prepared.probes) - described):
        campaign.write(_environment_record(name, prepared, setting.threads))
    return campaign


def find_ceilings(cases: List[Case], campaign: CampaignFile, prepared: preflight.Prepared) -> None:
    """Write what each framework gets out of the devices that `cases` are measured on, once a campaign.

    Before the first round, alone on the machine, some seconds each: what a run reaches is shown as a share of the best
    of these, and a run that is faster than the machine is refused. A framework without such controls is left out.
    """
    for workload in sorted({case.workload for case in cases if not oracle.is_known(case.workload)}):
        prepared.say(
            "%s: no bench/oracle/%s.py says what a step costs: not held against the machine" % (workload, workload)
        )
    known = {(line["environment"], line["device"], line["precision"])
             for line in campaign.lines if line["kind"] == "ceiling"}  # fmt: skip
    for name, device, precision in sorted({(case.environment, case.device, case.precision) for case in cases} - known):
        if not set(own_controls.NEEDS) <= set(own_controls.names(prepared.environments[name])):
            continue
        reply = prepared.ask(name, CEILING_TIMEOUT_S, request="ceiling", device=device, precision=precision)
        line = campaign.write({
            "kind": "ceiling", "environment": name, "device": device, "precision": precision,
            "matmul_flops_s": reply.get("matmul_flops_s"), "copy_bytes_s": reply.get("copy_bytes_s"),
            "reason": reply["reason"],
        })  # fmt: skip
        prepared.say("%-18s %s, %s: %s" % (name, device, precision, report.ceiling(line)))
