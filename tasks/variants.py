"""Make environments with another version of a package, to measure them beside a row of the table.

`nox -s bench -- --against keras==3.12.0` wants that pin exactly. Of the other packages, those that cannot stay are
resolved anew. The new row is written into a copy of the framework's folder below .bench/against. Its parity answers and
results are there too, so nothing of it is published.
"""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import nox
from packaging.requirements import Requirement

from analysis.__main__ import AGAINST
from bench import registry
from bench.registry import Environment
from tasks import copies
from tasks.installing import CannotInstallError, installing
from tasks.resolving import INSTALLATION, Absence, CannotMakeError, Variant, affected, resolve


class Made(NamedTuple):
    """Variants with the interpreter of each variant and of each base, and the rows that cannot be made."""

    variants: list[Variant]
    interpreters: dict[str, str]
    absences: list[Absence]


def install(session: nox.Session, requests: Sequence[Requirement], rows: Sequence[Environment]) -> Made:
    """Make an environment for each row that pins a requested package, and one for the row itself."""
    wanted = {str(requested): affected(requested.name, rows) for requested in requests}
    installing.begin(session)
    made = Made([], {}, [])
    for row in rows:
        own = [requested for requested in requests if row in wanted[str(requested)]]
        if not own:
            continue
        try:
            variant, interpreters = _install(session, own, row)
        except CannotMakeError as error:
            made.absences.append(Absence(row, " and ".join(map(str, own)), error.cause, error.reason))
            session.warn(f"{row.name} is left out: {error}")
        else:
            made.variants.append(variant)
            made.interpreters.update(interpreters)
            session.log(f"{variant.name}: Python {variant.python}, {variant.changed}")
    return made


def _install(session: nox.Session, requests: Sequence[Requirement], row: Environment) -> tuple[Variant, dict[str, str]]:
    """Make the environments of a row and its variant; return the variant and {name: interpreter}."""
    try:
        python = installing.environment(session, row)
        (library,) = Path(python).parent.parent.glob("lib/python3.*")
        usual = library.name.removeprefix("python")
        variant = resolve(installing.installer(session), row, requests, AGAINST / "pins", usual)
        return variant, {row.name: python, variant.name: installing.environment(session, variant.row)}
    except CannotMakeError:
        raise
    except CannotInstallError as error:
        raise CannotMakeError(INSTALLATION, " ".join(str(error).split())) from error


def write(made: Made, folder: Path = AGAINST) -> Path:
    """Write copies of the variants' frameworks, with a row for each variant; return the folder of frameworks."""
    frameworks = copies.write_rows(
        [(variant.base, variant.row, {}) for variant in made.variants], folder / "frameworks"
    )
    listed: list[Variant | Absence] = [*made.variants, *made.absences]
    about = {row.name: {"base": row.base.name, "base_title": row.base.title, "title": row.title} | _why(row)
             for row in listed}  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "variants.json").write_text(json.dumps(about, indent=1), encoding="utf-8")
    return frameworks


def _why(row: Variant | Absence) -> dict[str, str]:
    """Return why a row cannot be measured; nothing if it was made."""
    return {} if isinstance(row, Variant) else {"cause": row.cause, "reason": row.reason}


def keep_answers(workloads: Sequence[str], folder: Path = AGAINST) -> Path:
    """Copy the published parity answers, with which those of the variants are compared; return their folder.

    Without a workload, the answers of all are copied.
    """
    answers = folder / "parity"
    for file in Path(registry.ROOT, "results", "parity").glob("*/*.npz"):
        copy = answers / file.parent.name / file.name
        if (not workloads or file.name.split(".")[0] in workloads) and not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, copy)
    return answers
