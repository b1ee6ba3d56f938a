"""The session that measures series of releases side by side, for the page "Release history"."""

import argparse
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

import nox

from analysis import series
from analysis.series import Release, Series
from bench import registry
from bench.errors import DefinitionError
from bench.results import records
from bench.results.lines import Bench, End
from tasks import copies, variants
from tasks.installing import Installed, installing, run_bench

STATE = Path(registry.STATE, "versions")
ANSWERS = series.FOLDER / "parity"  # published answers of the releases; other rows' are in results/parity
ROUNDS = 3  # as few as give an interval; a later campaign adds to them
SECONDS_PER_ROW = 160  # of the default budget: five small networks, three rounds each


def _options(session: nox.Session, known: Iterable[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(
        "nox -s versions --",
        description=versions.__doc__,
        epilog="Other options are those of `nox -s bench -- --help`.",
    )
    parser.add_argument(
        "--series", action="append", default=[], choices=list(known), help="this series (may be repeated)"
    )
    parser.add_argument("--workload", action="append", default=[], metavar="NAME",
                        help=f"default: {', '.join(series.WORKLOADS)}")  # fmt: skip
    parser.add_argument("--again", action="store_true", help="measure more rounds of a series that is complete")
    return parser.parse_known_args(session.posargs)


@nox.session
def versions(session: nox.Session) -> None:
    """Measure releases of a package side by side, for the page "Release history": `-- --series keras-on-jax`.

    bench/frameworks/<name>/releases.toml lists them. Without --series, all are measured, in about two hours. After an
    interruption, the same command goes on: a series that is complete is left out. Results go to results/versions.
    """
    try:
        every = series.read()
    except DefinitionError as error:
        session.error(str(error))
    options, others = _options(session, every)
    wanted = [each for each in every.values() if each.name in (options.series or every)]
    for place, each in enumerate(wanted, 1):
        session.log(f"Series {place} of {len(wanted)}: {each.title}, {len(each.releases)} releases.")
        if not options.again and (day := measured_on(each)):
            session.log(f"It was measured on {day}. To add rounds: nox -s versions -- --series {each.name} --again")
            continue
        _measure(session, each, options.workload or series.WORKLOADS, others)
    session.run("python", "-m", "analysis", "history")


def measured_on(own: Series, results: Path = series.FOLDER) -> str:
    """Return the day of the newest complete campaign of a series' rows; empty if there is none."""
    names = {release.row.name for release in own.releases}
    days = []
    for path in results.glob("*/*.jsonl"):
        lines = records.read(str(path))
        if lines and isinstance(lines[0], Bench) and isinstance(lines[-1], End):
            found = {case.environment for case in lines[0].cases}
            days += [lines[0].started[:10]] if found and found <= names and len(found) > 1 else []
    return max(days, default="")


def _measure(session: nox.Session, own: Series, workloads: Sequence[str], others: Iterable[str]) -> None:
    """Install the releases of a series, let them answer, and measure them in the same rounds."""
    installed = Installed()
    installed.add(session, [release.row for release in own.releases])
    frameworks = copies.write_rows(
        [(release.base, release.row, release.patch) for release in own.releases], STATE / "frameworks"
    )
    answers = variants.keep_answers(workloads, STATE)
    if ANSWERS.exists():
        shutil.copytree(ANSWERS, answers, dirs_exist_ok=True)
    installing.use_tools(session)
    try:
        run_bench(
            session, "run", "--no-table", "--documented", f"--frameworks={frameworks}", f"--answers={answers}",
            f"--results={series.FOLDER}", f"--rounds={ROUNDS}", f"--budget={SECONDS_PER_ROW * len(own.releases)}s",
            *(f"--workload={name}" for name in workloads), *installed.options, *others,
        )  # fmt: skip
    finally:
        publish([release for release in own.releases if release.is_listed], answers)


def publish(releases: Iterable[Release], answers: Path, published: Path = ANSWERS) -> None:
    """Keep the parity answers of releases with the results."""
    for release in releases:
        if (own := answers / release.row.name).exists():
            shutil.copytree(own, published / release.row.name, dirs_exist_ok=True)
