"""Every task a person runs; `nox -l` lists them. Frameworks and environments are found by reading their folders."""

import argparse
import sys
from pathlib import Path

import nox

if sys.version_info < (3, 10):  # noqa: UP036 - Nox itself runs on older ones
    sys.exit("Nox must run on Python 3.10 or later here. Install it with a newer one: python3.13 -m pip install nox")
sys.path.insert(0, str(Path(__file__).parent))  # the nox command does not put the project's folder on the path
from bench import registry
from bench.errors import DefinitionError
from tasks import green, nightly, outdated  # noqa: F401 - their tasks are nox's as well
from tasks.installing import CannotInstallError, Installing
from tasks.prerequisites import explain_absence

nox.needs_version = ">=2025.5.1"
nox.options.default_venv_backend = "none"  # tasks/installing.py makes the environments
nox.options.sessions = ["bench"]

ENVIRONMENTS = registry.environments()
DEFAULT = [name for name, environment in ENVIRONMENTS.items() if environment.is_default]
USUAL = registry.usual()
ERA = [name for name, environment in ENVIRONMENTS.items() if not environment.is_default]
PATIENCE_S = 15.0
MKDOCS = {
    "NO_MKDOCS_2_WARNING": "1",  # the theme prints a page about other products
    "PYTHONPATH": str(Path(__file__).parent),  # where its configuration names an extension of this project
}
FAULT = "fault and not nightly"  # markers
ENVIRONMENT = "environment and not nightly"
UNIT = "not environment and not browser and not fault and not nightly"
SEVERAL = ("-n", "logical", "--maxprocesses=4", "--dist=worksteal")  # tests at once, as many as memory holds networks
BY_FILE = ("--dist=loadfile", "--no-loadscope-reorder")  # after SEVERAL: tests share what one of their file has built

afterwards: list[str] = []  # sessions that follow once the installs they wait for are done
pythons: dict[str, str] = {}  # environment -> its interpreter, once installed
absent: dict[str, str] = {}  # environment -> why it could not be installed
reasons: dict[str, str] = {}  # environment -> why its tests run, "" if nothing that they depend on changed
installing = Installing()


def _tools(session: nox.Session, *files: str) -> None:
    """Let a session run with the tools' environment, and with the pins of further requirement files.

    If every environment that was asked for is absent, end with exit code 2 instead: Nox itself would end with 1.
    """
    if absent and not pythons:
        print(explain_absence(absent), file=sys.stderr)
        sys.exit(2)
    installing.use_tools(session, *files)


def _bench(session: nox.Session, *words: str) -> None:
    """Run the bench; after Ctrl-C it has the time that it needs to end its workers, of which Nox would leave little."""
    session.run("python", "-m", "bench", *words, *session.posargs, interrupt_timeout=PATIENCE_S,
                terminate_timeout=PATIENCE_S)  # fmt: skip


def _pytest(session: nox.Session, kind: str, *words: str) -> None:
    """Run the tests of some markers."""
    _tools(session)
    asked = green.options(session.posargs)[1]
    session.run("pytest", "-m", kind, *words, *asked, *green.files_of(asked))


def _absent(session: nox.Session, environment: str, reason: str) -> None:
    absent[environment] = " ".join(reason.split())[-600:]
    session.warn(f"{environment} is left out: {reason}")


def _wants_help(session: nox.Session) -> bool:
    return bool({"-h", "--help"} & set(session.posargs))


def _named(session: nox.Session, option: str) -> list[str]:
    """Return what an option behind the -- names, each time that it is given."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument(option, action="append", default=[], dest="named")
    named: list[str] = parser.parse_known_args(session.posargs)[0].named
    return named


def _asked(session: nox.Session, usual: list[str]) -> list[str]:
    """Return the environments that `--environment` names behind the --, or the usual ones."""
    try:
        return [registry.environment(name).name for name in _named(session, "--environment")] or usual
    except DefinitionError as error:
        session.error(str(error))


def _asked_to_check(session: nox.Session) -> list[str]:
    """Return the environments that are named, or that answer a workload that is: no other needs to be installed."""
    workloads = _named(session, "--workload")
    unknown = [name for name in workloads if not registry.has_workload(name)]
    if unknown:
        session.error(f"There is no bench/workloads/{unknown[0]}.py, with which a workload begins (CONTRIBUTING.md).")
    if not (workloads or _named(session, "--environment") or _wants_help(session)):
        session.error("Say what is new: nox -s check -- --workload NAME, or --environment NAME, or both.")
    answer = [each for each in USUAL if any(registry.answers(ENVIRONMENTS[each], name) for name in workloads)]
    return _asked(session, answer)


def _follow(session: nox.Session, environments: list[str], name: str) -> None:
    """Queue the installs of `environments`, and session `name` after the last of them; help needs none of them."""
    if _wants_help(session) or not environments:
        session.notify(name)
        return
    installing.begin(session)
    afterwards.append(name)
    for environment in environments:
        session.notify(f"install({environment})")


def _conclude(session: nox.Session, verb: str, *words: str) -> None:
    """Let the analysis speak of the campaign that was measured last."""
    if not _wants_help(session):
        last = Path(Path(registry.STATE, "last-campaign").read_text())
        session.run("python", "-m", "analysis", verb, str(last.parent.parent), "--campaign", last.stem, *words)


@nox.session
@nox.parametrize("environment", [nox.param(name, id=name) for name in ENVIRONMENTS])
def install(session: nox.Session, environment: str) -> None:
    """Install one environment, once, until its pins change; a failure is a reason, not the end."""
    installing.begin(session)
    try:
        pythons[environment] = installing.environment(session, ENVIRONMENTS[environment])
    except CannotInstallError as error:
        _absent(session, environment, str(error))
    for name in afterwards:
        session.notify(name)


@nox.session(python=False)
@nox.parametrize("environment", [nox.param(name, id=name) for name in DEFAULT])
def bench(session: nox.Session, environment: str) -> None:
    """Measure: prepare environments, then let them take turns in `rounds`. Options follow --, see `-- --help`."""
    _follow(session, [environment], "rounds")


@nox.session(python=False)
@nox.parametrize("environment", [nox.param(name, id=name) for name in ERA])
def era(session: nox.Session, environment: str) -> None:
    """Measure an environment of another time; `nox -s bench "era(NAME)"` puts it in the same rounds as today's."""
    _follow(session, [environment], "rounds")


def _interpreter_options() -> list[str]:
    """Return the options that tell `python -m bench` where the environments are, or why one is not."""
    known = [f"--python={name}={python}" for name, python in pythons.items()]
    return known + [f"--absent={name}={reason}" for name, reason in absent.items()]


@nox.session
def rounds(session: nox.Session) -> None:
    """(after bench) Measure every prepared environment's cases in turns, and print the summary."""
    _tools(session)
    _bench(session, "run", "--no-table", *_interpreter_options())
    _conclude(session, "summary")


@nox.session(python=False)
@nox.parametrize("environment", [nox.param(name, id=name) for name in DEFAULT])
def verify(session: nox.Session, environment: str) -> None:
    """Is this machine as fast as published? Measure a short selection, compare, and say what may slow it down."""
    _follow(session, [environment], "verdict")


@nox.session
def verdict(session: nox.Session) -> None:
    """(after verify) Measure the short selection, apart from the published results, and compare it with them."""
    _tools(session)
    folder = Path(registry.STATE, "verify")
    _bench(session, "run", "--no-table", "--short", f"--results={folder}", *_interpreter_options())
    _conclude(session, "verify", *(["--json"] if "--json" in session.posargs else []))


@nox.session(python=False)
def parity(session: nox.Session) -> None:
    """Prove that environments compute the same thing, each in its documented mode; answers go to results/parity/."""
    _follow(session, _asked(session, USUAL), "compare")


@nox.session
def compare(session: nox.Session) -> None:
    """(after parity) Let every environment answer what it has not answered yet, and compare the answers pairwise."""
    _tools(session)
    _bench(session, "parity", *_interpreter_options())


@nox.session(python=False)
def check(session: nox.Session) -> None:
    """Check a contribution alone, in about a minute: `-- --workload NAME`, `-- --environment NAME`; see `-- --help`."""
    _follow(session, _asked_to_check(session), "examine")


@nox.session
def examine(session: nox.Session) -> None:
    """(after check) Look at all that belongs to the workload or the environment, and say what broke."""
    _tools(session)
    _bench(session, "check", *_interpreter_options())


@nox.session(python=False)
def controls(session: nox.Session) -> None:
    """Check the measurement itself: twins, planted slow-downs, a bare loop, other timers. Options: `-- --help`."""
    _follow(session, _asked(session, USUAL), "judge")


@nox.session
def judge(session: nox.Session) -> None:
    """(after controls) Measure the controls in every prepared environment, and say which pass."""
    _tools(session)
    _bench(session, "controls", *_interpreter_options())
    if not _wants_help(session):
        last = Path(registry.STATE, "last-controls").read_text()
        session.run("python", "-m", "analysis", "controls", last)


@nox.session
def data(session: nox.Session) -> None:
    """Prepare real data sets by name (`nox -s data -- mnist`), or list their sizes, licences and what is here."""
    _tools(session)
    _bench(session, "data")


@nox.session
def tests(session: nox.Session) -> None:
    """Run the unit tests, then the tests of the default environments; `environments` has options to test others."""
    _pytest(session, UNIT, *SEVERAL)
    environments(session)


@nox.session(python=False)
def environments(session: nox.Session) -> None:
    """Run contract and parity tests inside the default environments; `-- --all`, `--changed`, `--environment NAME`.

    `--all` adds one row of each older framework. `--changed` takes those of all for which something has changed since
    their record in tests/green, and one more whose turn it is. `--night` adds the tests that are too slow for the gate.
    """
    options, _ = green.options(session.posargs)
    names = _asked(session, USUAL if options.all or options.changed else DEFAULT)
    reasons.update(green.choose(names) if options.changed else dict.fromkeys(names, "asked for"))
    session.log("\n".join(["Environments:", *(f"  {name}: {reasons[name] or 'unchanged'}" for name in names)]))
    _follow(session, [name for name, reason in reasons.items() if reason], "contract")


@nox.session
def unit(session: nox.Session) -> None:
    """Run the unit tests alone: minutes, and no framework."""
    _pytest(session, UNIT, *SEVERAL)


@nox.session
def faults(session: nox.Session) -> None:
    """Kill, hang, fill and break a bench on purpose, and see that nothing recorded is lost: two minutes.

    docs/faults.md lists the promises. Short faults are among the unit tests (`nox -s unit -- tests/faults`), and a
    hundred kills follow at night (`nox -s nightly`).
    """
    _pytest(session, FAULT, "tests/faults", *SEVERAL)


@nox.session
def contract(session: nox.Session) -> None:
    """(after environments) Check contracts and parity in each environment, planted bugs included; print a summary."""
    _tools(session)
    words = green.options(session.posargs)[1]
    watch = green.Watch([name for name in pythons if name in reasons] if not words else [])
    kind = "environment" if green.options(session.posargs)[0].night else ENVIRONMENT
    session.run("pytest", "-m", kind, "tests/environments", *SEVERAL, f"--tally={green.TALLY}",
                *_interpreter_options(), *words, success_codes=[0, 1])  # fmt: skip
    outcomes = green.last_tests()
    session.log(green.conclude(reasons, absent, outcomes))
    session.log(watch.keep(outcomes))
    if problem := green.problem(reasons, absent, outcomes):
        session.error(problem)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, types, workflows, plain English, and that bench/ still runs on Python 3.6."""
    _tools(session)
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("mypy")
    session.run("vermin", "--quiet", "--no-tips", "--target=3.6-", "--violations", "--backport=typing",
                "--eval-annotations", "bench")  # fmt: skip
    session.run("zizmor", "--quiet", "--offline", ".github/workflows")
    session.run("python", "-m", "tasks.language")


@nox.session
def docs(session: nox.Session) -> None:
    """Draw figures, judge lessons, write pages, and build the site strictly into site/."""
    _tools(session)
    session.run("python", "-m", "analysis", "site")
    session.run("mkdocs", "build", "--strict", "--config-file=site.yml", *session.posargs, env=MKDOCS)
    session.run("python", "-m", "tasks.language", "--pages", "site")


@nox.session
def serve(session: nox.Session) -> None:
    """Show the site on this machine, following edits to pages, figures and results."""
    _tools(session)
    session.run("mkdocs", "serve", *session.posargs, env=MKDOCS)


@nox.session
def publish(session: nox.Session) -> None:
    """Publish what is committed as a version of the site: `nox -s publish -- 2026.11 "H200"`; see `-- --help`."""
    _tools(session)
    session.run("python", "-m", "analysis.publish.versions", *session.posargs)


@nox.session(name="check-results")
def check_results(session: nox.Session) -> None:
    """Can these results be contributed? Check what differs from main (`-- PATH`, `-- --preview`; see `-- --help`)."""
    _tools(session)
    session.run("python", "-m", "analysis", "check", *session.posargs)


@nox.session
def browser(session: nox.Session) -> None:
    """Judge the built site in a real browser (Debian's chromium); build it first: nox -s docs.

    `-- --shots FOLDER` keeps a picture of every kind of page in each view; `-- -m browser` adds the nightly tests.
    """
    _tools(session, "tests/requirements-browser.txt")
    with session.chdir("tests/site"):
        session.run("npm", "ci", "--silent")
    words = ("-m", "browser and not nightly", "--timeout=600", "--maxfail=10", "tests/site")
    session.run("pytest", *words, *SEVERAL, *BY_FILE, *session.posargs)


@nox.session
def growth(session: nox.Session) -> None:
    """Measure how the analysis grows from 1,000 to 100,000 runs; `-- --runs 1000` for one size."""
    _tools(session)
    session.run("python", "tests/analysis/scale_benchmark.py", *session.posargs)
