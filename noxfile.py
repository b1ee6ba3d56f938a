"""The tasks of this project; `nox -l` lists them. A session whose name begins with an underscore follows other ones."""

import sys
from collections.abc import Sequence
from pathlib import Path

import nox

if sys.version_info < (3, 10):  # noqa: UP036 - Nox itself runs on older ones
    sys.exit("Nox must run on Python 3.10 or later here. Install it with a newer one: python3.13 -m pip install nox")
sys.path.insert(0, str(Path(__file__).parent))  # the nox command does not put the project's folder on the path
from bench import registry
from bench.errors import DefinitionError
from bench.versus import choosing
from tasks import against, cluster, green, nightly, outdated, posargs, versions  # noqa: F401 - some define sessions too
from tasks.installing import Installed, explain_absence, installing, run_bench

nox.needs_version = ">=2025.5.1"
nox.options.default_venv_backend = "none"  # tasks/installing.py makes the environments
nox.options.sessions = ["bench"]

ENVIRONMENTS = registry.environments()
DEFAULT = [name for name, environment in ENVIRONMENTS.items() if environment.is_default]
USUAL = registry.usual()
EACH_DEFAULT = [nox.param(name, id=name) for name in DEFAULT]
# The theme would print a page about other products, and the configuration names an extension of this project.
MKDOCS = {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(green.ROOT)}
# Files that need Python 3.10
DRIVER = "/bench/(campaign|cli|controls|driver|peers|results|data/(?!photographs)|versus/(?!inside|probes)|__main__)"
UNIT = "not environment and not browser and not fault and not nightly"  # markers of pytest
SEVERAL = ("-n", "logical", "--maxprocesses=4", "--dist=worksteal")  # processes of tests; memory limits their number

installed = Installed()


def _wants_help(session: nox.Session) -> bool:
    return bool({"-h", "--help"} & set(session.posargs))


def _chosen(session: nox.Session, usual: list[str]) -> list[str]:
    """Return the environments that `--environment` names, or the usual ones."""
    try:
        return [registry.environment(name).name for name in posargs.options(session)[0].environment] or usual
    except DefinitionError as error:
        session.error(str(error))


def _install(session: nox.Session, environments: Sequence[str]) -> None:
    """Install environments, but for help, which needs none."""
    if not _wants_help(session):
        installed.add(session, [ENVIRONMENTS[name] for name in environments])


def _tools(session: nox.Session, *files: str) -> None:
    """Let a session run with the tools' environment. If all wanted environments are absent, exit with code 2."""
    if installed.absent and not installed.pythons:
        print(explain_absence(installed.absent), file=sys.stderr)
        sys.exit(2)
    installing.use_tools(session, *files)


def _bench(session: nox.Session, *words: str) -> None:
    _tools(session)
    run_bench(session, *words, *session.posargs)


def _conclude(session: nox.Session, verb: str, *words: str) -> None:
    """Let the analysis summarize the last campaign."""
    if not _wants_help(session):
        last = Path(Path(registry.STATE, "last-campaign").read_text())
        session.run("python", "-m", "analysis", verb, str(last.parent.parent), "--campaign", last.stem, *words)


def _pytest(session: nox.Session, markers: str, *words: str) -> None:
    """Run tests that have some markers. After `-k test_NAME`, pytest reads only the files that hold this name."""
    _tools(session)
    others = posargs.options(session)[1]
    session.run("pytest", "-m", markers, *words, *SEVERAL, *others, *green.files_of(others))


@nox.session
@nox.parametrize("environment", EACH_DEFAULT)
def bench(session: nox.Session, environment: str) -> None:
    """Install environments, measure them in turns, and print a summary. Options follow --, see `-- --help`.

    `-- --against keras==3.12.0` measures another version beside ours; `-- --bisect keras` finds when a time changed.
    """
    other = "" if _wants_help(session) else against.wanted(session)
    _install(session, [] if other else [environment])
    session.notify(other or "_rounds")


@nox.session
@nox.parametrize("environment", [nox.param(name, id=name) for name in ENVIRONMENTS if name not in DEFAULT])
def era(session: nox.Session, environment: str) -> None:
    """Measure an older or further version; `nox -s bench "era(NAME)"` puts it in the rounds of today's."""
    _install(session, [environment])
    session.notify("_rounds")


@nox.session
@nox.parametrize("environment", EACH_DEFAULT)
def verify(session: nox.Session, environment: str) -> None:
    """Is this machine as fast as published? Measure a short selection, compare, and name likely causes.

    `-- --compare a.json b.json c.json` compares hosts, by the file that `-- --json` printed on each.
    """
    if "--compare" not in session.posargs:
        _install(session, [environment])
    session.notify("_verify")


@nox.session
def parity(session: nox.Session) -> None:
    """Prove that environments compute the same, each in its documented mode; answers go to results/parity/."""
    _install(session, _chosen(session, USUAL))
    _bench(session, "parity", *installed.options)


@nox.session
def check(session: nox.Session) -> None:
    """Check a contribution in about a minute: `-- --workload NAME`, `-- --environment NAME`; see `-- --help`."""
    options, _ = posargs.options(session)
    unknown = [name for name in options.workload if not registry.has_workload(name)]
    if unknown:
        session.error(f"There is no bench/workloads/{unknown[0]}.py, with which a workload begins (CONTRIBUTING.md).")
    if not (options.workload or options.environment or _wants_help(session)):
        session.error("Say what is new: nox -s check -- --workload NAME, or --environment NAME, or both.")
    answering = [name for name in USUAL if any(registry.answers(ENVIRONMENTS[name], new) for new in options.workload)]
    _install(session, _chosen(session, answering))
    _bench(session, "check", *installed.options)


@nox.session
def controls(session: nox.Session) -> None:
    """Check the measurement itself: twins, planted slow-downs, a bare loop, other timers. Options: `-- --help`."""
    _install(session, _chosen(session, USUAL))
    _bench(session, "controls", *installed.options)
    if not _wants_help(session):
        session.run("python", "-m", "analysis", "controls", Path(registry.STATE, "last-controls").read_text())


@nox.session
def versus(session: nox.Session) -> None:
    """Compare programs of your own, and learn why one is slower: `-- mine_torch.py mine_keras.py`; see `-- --help`."""
    try:
        choices = [] if _wants_help(session) else choosing.read(session.posargs, str(session.invoked_from))
    except DefinitionError as error:
        session.error(str(error))
    found = {choice.letter: choice.environment for choice in choices if choice.environment}
    _install(session, list(dict.fromkeys(found.values())))
    if installed.absent:
        session.error(explain_absence(installed.absent))
    pythons = installed.pythons
    where = [option for letter, name in found.items()
             for option in (f"--python={letter}={pythons[name]}", f"--environment={letter}={name}")]  # fmt: skip
    _bench(session, "versus", f"--folder={session.invoked_from}", *where)


@nox.session
def data(session: nox.Session) -> None:
    """Prepare real data sets by name (`nox -s data -- mnist`), or list their sizes, licences and what is here."""
    _bench(session, "data")


@nox.session
def tests(session: nox.Session) -> None:
    """Run the unit tests, then the tests of the default environments; `environments` has options to test others."""
    _pytest(session, UNIT)
    environments(session)


@nox.session
def environments(session: nox.Session) -> None:
    """Run contract and parity tests inside the default environments; `-- --all`, `--changed`, `--environment NAME`.

    `--all` adds an environment of each older framework. `--changed` selects from these: those with a change since their
    record in tests/green, and one more in turn. `--night` adds the tests that are too slow for the gate.
    """
    options, others = posargs.options(session)
    names = _chosen(session, USUAL if options.all or options.changed else DEFAULT)
    reasons = green.choose(names) if options.changed else dict.fromkeys(names, "asked for")
    session.log("\n".join(["Environments:", *(f"  {name}: {reasons[name] or 'unchanged'}" for name in names)]))
    _install(session, [name for name, reason in reasons.items() if reason])
    _tools(session)
    watch = green.Watch([name for name in installed.pythons if reasons.get(name)] if not others else [])
    session.run("pytest", "-m", "environment" + " and not nightly" * (not options.night), "tests/environments",
                *SEVERAL, f"--tally={green.TALLY}", *installed.options, *others, success_codes=[0, 1])  # fmt: skip
    outcomes = green.last_tests()
    session.log(green.conclude(reasons, installed.absent, outcomes))
    session.log(watch.keep(outcomes))
    if problem := green.problem(reasons, installed.absent, outcomes):
        session.error(problem)


@nox.session
def unit(session: nox.Session) -> None:
    """Run the unit tests alone: minutes, and no framework."""
    _pytest(session, UNIT)


@nox.session
def faults(session: nox.Session) -> None:
    """Kill, hang, fill and break a bench on purpose: two minutes. docs/faults.md lists what is promised."""
    _pytest(session, "fault and not nightly", "tests/faults")


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, types, workflows, plain English, and that what runs inside environments needs only Python 3.6."""
    _tools(session)
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("mypy")
    session.run("vermin", "--quiet", "--no-tips", "--target=3.6-", "--violations", "--backport=typing",
                "--eval-annotations", "--exclude-regex", DRIVER, "bench")  # fmt: skip
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
    """Check the built site in a browser, after `nox -s docs`; `-- --shots FOLDER` keeps pictures of its pages."""
    _tools(session, "tests/requirements-browser.txt")
    with session.chdir("tests/site"):
        session.run("npm", "ci", "--silent")
    session.run("pytest", "-m", "browser and not nightly", "--timeout=600", "--maxfail=10", "tests/site", *SEVERAL,
                "--dist=loadfile", "--no-loadscope-reorder", *session.posargs)  # fmt: skip


@nox.session
def growth(session: nox.Session) -> None:
    """Measure how the analysis grows from 1,000 to 100,000 runs; `-- --runs 1000` for one size."""
    _tools(session)
    session.run("python", "tests/analysis/scale_benchmark.py", *session.posargs)


@nox.session
def _rounds(session: nox.Session) -> None:
    """(internal, follows bench and era) Measure all installed environments in turns, and print the summary."""
    _bench(session, "run", "--no-table", *installed.options)
    _conclude(session, "summary")


@nox.session
def _verify(session: nox.Session) -> None:
    """(internal, follows verify) Measure the short selection, and compare it with the published results."""
    if "--compare" in session.posargs:
        words = [word if word.startswith("-") else str(Path(session.invoked_from, word)) for word in session.posargs]
        _tools(session)
        session.run("python", "-m", "analysis", "verify", *words)
        return
    _bench(session, "run", "--no-table", "--short", f"--results={Path(registry.STATE, 'verify')}", *installed.options)
    _conclude(session, "verify", *({"--json"} & set(session.posargs)))
