"""Controls: does the measurement keep what it promises? One file each; `python -m bench controls` runs them.

A control is two files: one here measures, one in analysis/controls says what must hold and judges. A file here has

- `ORDER`: its place; the most important control is measured first
- `expected_s(place)`: returns the expected duration in seconds
- `measure(place)`: measures into a campaign below results/<machine>/controls/<its name>/
- `inside(request, environment, adapter)`: what a worker does, if workers are asked; returns `{"about": {word: text},
  "series": {name: [numbers]}}`, and raises Unsupported where it does not apply
"""

import argparse
import importlib
import json
import os
import pkgutil
import time
from typing import Any, NamedTuple

import numpy as np

from bench import cases as case_lists
from bench import files, machine, profiles, registry
from bench.campaign import opening, preflight, report, run_history, turns
from bench.campaign.campaign import CampaignFile
from bench.cases import Case
from bench.driver import lock
from bench.driver.telemetry import Watch
from bench.errors import DefinitionError
from bench.replies import ControlPart, Reply
from bench.results import records
from bench.results.lines import Control
from bench.units import duration

LIGHT = "linear"  # its steps are the smallest: what is added to each of them shows most
HEAVY = "resnet50"  # the largest network of which every environment makes a step within seconds on a laptop
RUN_S = 8.0  # of a control's run on two cores: half of it imports a framework, and turns take as long
CACHE = os.path.join(registry.STATE, "cache", "controls")
PAST = ("order", "sampler", "sleepers")  # no longer measured; their files stay in results/ (docs/past_controls.md)

HELP = """Measure whether the measurement keeps its promises.

  nox -s controls                              all of them, in every environment: over an hour on two cores
  nox -s controls -- --only overhead           one
  nox -s controls -- --budget 20m              what fits, what matters most first
  nox -s controls -- --environment NAME        in one environment

  spread     10 minutes   in which environment two names for one thing differ least: planted measures that one
  planted    35 minutes   two names for one thing, planted slow-downs and coverage; more where rounds are disturbed
  overhead   11 minutes   our timing loop beside a bare one; up to four minutes for each network that is large
  agreement   9 minutes   our times beside the frameworks' own timers and networks
  waiting     4 minutes   the wait removed on purpose

Each measurement of a control is a file in results/<machine>/controls/<control>/. The newest complete one is judged by
python -m analysis controls and on the site's page Controls. An interrupted control goes on when the same command is
given again. Let nothing else run meanwhile.
"""

Question = dict[str, str]  # environment, mode, workload, and what else the control varies


class Session(NamedTuple):
    """Where controls are measured: what was prepared, with what the user asked for, and on which machine."""

    prepared: preflight.Prepared
    machine: dict[str, Any]

    @property
    def arguments(self) -> argparse.Namespace:
        """What the user asked for."""
        return self.prepared.arguments

    def say(self, text: str) -> None:
        """Tell the user."""
        self.prepared.say(text)

    @property
    def environments(self) -> list[str]:
        """The environments at hand that were asked for; a control that needs only one takes the first."""
        wanted = self.arguments.environment or sorted(self.prepared.probes)
        return [name for name in wanted if name in self.prepared.probes]

    def twins(self, rounds_: int, borne: dict[str, Case]) -> turns.Setting:
        """Return what so many rounds are made with in which each name stands for the program of a case.

        More names than memory holds, by what runs in this results folder needed, are measured in groups.
        """
        prepared, profile = self.prepared, profiles.CONTROL._replace(min_rounds=rounds_, max_rounds=rounds_)
        known = run_history.as_before(self.arguments.results, self.machine["name"], self.arguments.threads).memory_bytes
        return prepared.setting(profile, run_history.Known({}, {}, {}))._replace(
            pythons={name: prepared.pythons[case.environment] for name, case in borne.items()},
            environments={name: prepared.environments[case.environment] for name, case in borne.items()},
            proofs={
                (name, case.workload): prepared.proofs[case.environment, case.workload] for name, case in borne.items()
            },
            known=run_history.Known({}, {
                case._replace(environment=name).id: known[case.id] for name, case in borne.items() if case.id in known
            }, {}),
        )  # fmt: skip

    def begin(
        self, control: str, cases: list[Case], is_fresh: bool = False, watch: Watch | None = None
    ) -> CampaignFile:
        """Open the control's interrupted campaign of the same plan, or a new one."""
        arguments = argparse.Namespace(**dict(vars(self.arguments), fresh=is_fresh or self.arguments.fresh))
        setting = self.prepared.setting(profiles.CONTROL, run_history.Known({}, {}, {}))
        plan = setting._replace(watch=watch)
        campaign = opening.begin(
            cases, plan, self.prepared._replace(arguments=arguments), self.machine, ("controls", control)
        )
        self.say("%s: into %s" % (control, os.path.relpath(campaign.path)))
        return campaign

    def begin_twins(
        self, control: str, case: Case, names: list[str], is_fresh: bool = False, watch: Watch | None = None
    ) -> CampaignFile:
        """Open a campaign in which the environment of `case` bears many names; its first line of control says which."""
        cases = [case._replace(environment=name) for name in names]
        campaign = self.begin(control, cases, is_fresh, watch)
        about = {"environment": case.environment, "mode": case.mode, "workload": case.workload}
        said = [line.about for line in _lines(campaign)]
        if said and said[0] != about:  # another environment stood for all when it was interrupted
            return self.begin_twins(control, case, names, True, watch)
        if not said:
            campaign.write(line_of(campaign, control, about, Reply(), files.now()))
        return campaign


def do_controls(arguments: argparse.Namespace) -> int:
    """Measure the controls that were asked for, or all."""
    described = machine.describe(arguments.machine)
    with lock.alone(arguments.results):
        prepared = preflight.without_blind(preflight.prepare(arguments, report.say), described)
        measure_all(Session(prepared, described), arguments.only, arguments.budget)
        with open(os.path.join(registry.STATE, "last-controls"), "w") as file:
            file.write(os.path.abspath(arguments.results))
    return 0


def names() -> list[str]:
    """Return the names of all controls, by name."""
    return sorted(found.name for found in pkgutil.iter_modules([os.path.dirname(__file__)]) if found.name[0] != "_")


def module(name: str) -> Any:
    """Import one control."""
    return importlib.import_module("bench.controls." + name)


def measure_all(place: Session, only: list[str], budget_s: float | None) -> None:
    """Measure the controls, what matters most first, as far as the budget holds them.

    The same command after an interrupt goes on: it repeats no control that was finished.
    """
    if not place.environments:
        raise DefinitionError("No environment that was asked for is ready here: see the reasons above.")
    wanted = sorted(set(only or names()), key=lambda name: module(name).ORDER)
    path = os.path.join(registry.STATE, "controls-finished.json")  # until the command comes to its end
    command = [wanted, os.path.abspath(place.arguments.results), place.machine["name"], place.environments]
    found = None if place.arguments.fresh else kept(path)
    finished: list[str] = found[1] if found and found[0] == command else []
    if finished:
        place.say("Going on after: %s (--fresh begins anew)" % ", ".join(finished))
    waiting = [name for name in wanted if name not in finished]
    expected = {name: module(name).expected_s(place) for name in waiting}
    place.say("Controls to measure: %d, about %s: %s" % (
        len(waiting), duration(sum(expected.values())),
        ", ".join("%s %s" % (name, duration(expected[name])) for name in waiting)))  # fmt: skip
    begun = time.monotonic()
    for name in waiting:
        left_s = (budget_s or float("inf")) - (time.monotonic() - begun)
        expected[name] = module(name).expected_s(place)  # what came before may have spared it something
        if expected[name] > left_s:
            place.say("%s: left out, it takes about %s and the budget has %s left: give --budget, or --only %s" % (
                name, duration(expected[name]), duration(max(left_s, 0.0)), name))  # fmt: skip
            continue
        module(name).measure(place)
        finished.append(name)
        keep(path, [command, finished])
        rest = waiting[waiting.index(name) + 1 :]
        if rest:
            place.say("Controls to go: %d, about %s" % (len(rest), duration(sum(expected[other] for other in rest))))
    if os.path.exists(path):
        os.remove(path)


def keep(path: str, value: Any) -> None:
    """Write a value as JSON, whole or not at all."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".partial", "w", encoding="utf-8") as file:
        json.dump(value, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".partial", path)


def kept(path: str) -> Any:
    """Return what was kept; None where it is missing, or cannot be read."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def first_case(place: Session, wanted: str, environment: str | None = None) -> Case:
    """Return the training steps of `wanted`, in the documented mode of an environment: none is the first at hand.

    Where that one does not answer `wanted`, it is the lightest workload that it answers; raises DefinitionError where
    it answers none.
    """
    name = environment or place.environments[0]
    answered = [each for each in registry.workload_names() if (name, each) in place.prepared.proofs]
    if not answered:
        raise DefinitionError("%s answers no workload: name another with --environment." % name)
    selection = case_lists.Selection(
        [wanted if wanted in answered else answered[0]], [name], tasks=["train"], first_only=True, documented_only=True
    )
    return case_lists.select(selection, place.prepared.devices, place.arguments.frameworks)[0]


def questions(place: Session, workload: str, **varied: str) -> list[Question]:
    """Return a question to each environment that answers `workload`, in its documented mode."""
    return [question(place, name, workload, **varied) for name in answering(place, workload)]


def answering(place: Session, workload: str) -> list[str]:
    """Return the environments at hand that answer `workload`."""
    return [name for name in place.environments if (name, workload) in place.prepared.proofs]


def question(place: Session, environment: str, workload: str, **varied: str) -> Question:
    """Return a question to one environment, in its documented mode."""
    mode = place.prepared.environments[environment].modes[0].name
    return dict(varied, environment=environment, mode=mode, workload=workload)


def ask_each(place: Session, control: str, asked: list[Question], timeout_s: float) -> None:
    """Let a worker answer each question, in random order, and record a line each; an interrupted campaign goes on."""
    if not asked:
        place.say("%s: no environment at hand answers what it asks; nothing is measured" % control)
        return
    campaign = place.begin(control, [])
    done = [{key: line.about.get(key) for key in asked[0]} for line in _lines(campaign)]
    shuffled = [asked[i] for i in np.random.RandomState(place.arguments.seed).permutation(len(asked))]
    waiting = [each for each in shuffled if each not in done]
    for number, each in enumerate(waiting, 1):
        answer = campaign.write(_ask(place, campaign, control, each, timeout_s))
        found = f"{answer.duration_s:.0f} s" if answer.status == "ok" else answer.reason
        spent = [line.duration_s for line in _lines(campaign)]
        left_s = (len(waiting) - number) * sum(spent) / len(spent)
        place.say("%s %d/%d  %s: %s, about %s left" % (
            control, number + len(done), len(asked), " ".join(each[key] for key in sorted(each)), found,
            duration(left_s)))  # fmt: skip
    campaign.end("every question was asked")


def _lines(campaign: CampaignFile) -> list[Control]:
    return records.of_class(campaign.lines, Control)


def _ask(place: Session, campaign: CampaignFile, control: str, question: Question, timeout_s: float) -> Control:
    name = question["environment"]
    os.makedirs(CACHE, exist_ok=True)
    started = files.now()
    varied = {key: value for key, value in question.items() if key != "environment"}
    reply = place.prepared.ask("control", name, timeout_s, ControlPart(control, seed=place.arguments.seed, **varied),
                               CACHE, device=place.prepared.devices[name], mode=question["mode"])  # fmt: skip
    return line_of(campaign, control, {**question, **reply.about}, reply, started)


def line_of(campaign: CampaignFile, control: str, about: dict[str, str], reply: Reply, started: str) -> Control:
    """Return a line of kind `control`: a measurement of a control other than a run."""
    return Control(
        campaign=campaign.name, control=control, about=about, series={**reply.series}, started=started,
        duration_s=reply.duration_s, status=reply.status, reason=reply.reason, error_tail=reply.error_tail,
    )  # fmt: skip
