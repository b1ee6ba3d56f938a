"""Session `cluster`: campaigns on the nodes of a Slurm cluster, with an array of jobs for each kind of node.

Each job is a campaign of its node. It writes its state into a file of its own, because finished jobs leave the queue.
If a job is requeued, or the same is submitted again, the campaign of a node goes on. docs/cluster.md shows the steps.
"""

import argparse
import contextlib
import getpass
import json
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import nox

from bench import files, registry
from bench.errors import DefinitionError
from tasks import bundle
from tasks.installing import HAS_GPU, ROOT, CannotInstallError, Installed, explain_absence, installing, run_bench

SETTINGS = ROOT / "cluster.toml"
FOLDERS = ("jobs", "logs", "nodes", "results")  # of an output folder
JOB = ROOT / "tasks" / "job.sh"
ENDED = {0: "done", 2: "failed: its log says what to do", 143: "stopped"}  # exit code of a bench -> state


class Kind(NamedTuple):
    """A kind of node, as a table of cluster.toml states it."""

    name: str
    partition: str = ""  # "": named as the table
    nodes: int = 1  # as many jobs
    account: str = ""
    gpus: int = 0  # of a node
    time: str = ""  # limit of a job, as sbatch reads it; "": the partition's
    options: tuple[str, ...] = ()  # further options of sbatch
    setup: str = ":"  # a line of shell before the bench, such as "module load cuda"
    container: str = ""  # words before the interpreter, such as "apptainer exec --nv image.sif"
    python: str = ""  # the interpreter that runs the bench; "": the one of this project's tools
    scratch: str = "${TMPDIR:-/tmp}"  # a folder of each node by itself, for locks and caches


class Job(NamedTuple):
    """A job of an array, and what became of it."""

    number: str  # as "17_2": the second job of the array 17
    kind: str
    node: str  # "": it has not begun
    restarts: int
    since: str
    state: str


def kinds(settings: Path, partitions: Sequence[str] = (), nodes: int | None = None) -> list[Kind]:
    """Return the kinds of node in these partitions, or all that `settings` states; `nodes` replaces their numbers.

    A partition that `settings` does not state is a kind without further options. Raises DefinitionError if a table is
    wrong, or if there is no kind.
    """
    tables = registry.read_toml(str(settings)) if settings.exists() else {}
    stated = [_kind(settings, name, table) for name, table in tables.items()]
    named = [Kind(name, name) for name in partitions if name not in {kind.partition for kind in stated}]
    chosen = [kind for kind in stated if not partitions or kind.partition in partitions] + named
    if not chosen:
        raise DefinitionError(f"There is no {settings.name}. Name a partition (--partition NAME; `sinfo` lists them).")
    return [kind._replace(nodes=nodes or kind.nodes) for kind in chosen]


def _kind(settings: Path, name: str, table: Any) -> Kind:
    usual: Mapping[str, Any] = Kind._field_defaults
    if not isinstance(table, dict):
        raise DefinitionError(f"{settings.name}: expected a table [{name}], got {name} = {table!r}.")
    for key, value in table.items():
        wanted = list if key == "options" else type(usual.get(key))
        if key not in usual or not isinstance(value, wanted):
            right = f"expected {wanted.__name__}" if key in usual else f"expected one of: {', '.join(usual)}"
            raise DefinitionError(f"{settings.name}, [{name}]: {right}, got {key} = {value!r}.")
    return Kind(name, **{"partition": name, **table, "options": tuple(table.get("options", ()))})


def script(kind: Kind, output: Path, command: Sequence[str]) -> str:
    """Return the script of a kind's array, which runs a command on each node."""
    options = [
        f"--job-name=rosetta-{kind.name}", f"--partition={kind.partition}", f"--array=1-{kind.nodes}", "--nodes=1",
        "--exclusive", "--mem=0", "--requeue", "--open-mode=append", f"--output={output}/logs/%x-%A_%a.txt",
        *([f"--account={kind.account}"] * bool(kind.account)), *([f"--gres=gpu:{kind.gpus}"] * bool(kind.gpus)),
        *([f"--time={kind.time}"] * bool(kind.time)), *kind.options,
    ]  # fmt: skip
    values = {"name": kind.name, "jobs": str(output / "jobs"), "root": str(ROOT)}
    return "\n".join([
        "#!/bin/bash", *(f"#SBATCH {shlex.quote(option)}" for option in options),
        *(f"{name}={shlex.quote(value)}" for name, value in values.items()), f'scratch="{kind.scratch}"',
        f"setup() {{\n    {kind.setup}\n}}", f"bench() {{\n    {kind.container} {shlex.join(command)}\n}}",
        JOB.read_text(encoding="utf-8"),
    ])  # fmt: skip


def submit(kind: Kind, output: Path, python: str, words: Sequence[str]) -> str:
    """Submit a campaign for each node of a kind; return the number of the array.

    `python` runs the bench, and `words` are its options. Raises DefinitionError if Slurm refuses.
    """
    for name in FOLDERS:
        (output / name).mkdir(parents=True, exist_ok=True)
    command = [kind.python or python, "-m", "bench", "run", "--no-table", *words,
               f"--nodes={output / 'nodes'}", f"--results={output / 'results'}"]  # fmt: skip
    path = output / f"{kind.name}.sh"
    path.write_text(script(kind, output, command), encoding="utf-8")
    array = _slurm("sbatch", "--parsable", str(path)).partition(";")[0].strip()
    for task in range(1, kind.nodes + 1):
        with contextlib.suppress(FileExistsError):  # the job has begun
            file = (output / "jobs" / f"{array}_{task}.json").open("x", encoding="utf-8")
            with file:
                json.dump({"kind": kind.name, "node": "", "restarts": 0, "since": files.now(), "code": None}, file)
    return array


def jobs(output: Path) -> list[Job]:
    """Return all jobs that were submitted into an output folder, oldest first: from their own files and the queue."""
    paths = sorted(output.glob("jobs/*.json"), key=lambda path: [int(part) for part in path.stem.split("_")])
    listed = _slurm("squeue", "--noheader", "--array", f"--user={getpass.getuser()}", "--format=%F_%K|%T|%r")
    queue = {number: (state, reason) for number, state, reason in map(_fields, listed.split("\n")) if number}
    found = []
    for path in paths:
        noted = json.loads(path.read_text(encoding="utf-8"))
        state = _state(noted.pop("code"), bool(noted["node"]), *queue.get(path.stem, ("", "")))
        found.append(Job(path.stem, **noted, state=state))
    return found


def _fields(line: str) -> list[str]:
    return [*line.split("|"), "", ""][:3]


def _state(code: int | None, has_begun: bool, queued: str, reason: str) -> str:
    if queued == "PENDING":
        return f"waiting: {reason}"
    if queued and (code is None or queued != "COMPLETING"):
        return queued.lower()
    if code is None:
        return "lost" if has_begun else "never began"
    return ENDED.get(code, f"failed with exit code {code}")


def cancel(output: Path) -> list[str]:
    """Cancel the arrays of an output folder that have a job in the queue; return their numbers."""
    listed = _slurm("squeue", "--noheader", f"--user={getpass.getuser()}", "--format=%F").split()
    arrays = sorted({path.stem.partition("_")[0] for path in output.glob("jobs/*.json")} & set(listed), key=int)
    if arrays:
        _slurm("scancel", *arrays)
    return arrays


def _slurm(*words: str) -> str:
    """Return what a program of Slurm prints; raises DefinitionError if it is not here or fails."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise DefinitionError(
            f"There is no {words[0]} here. Give this command where you submit jobs to Slurm."
        ) from None
    if done.returncode:
        raise DefinitionError(f"{words[0]} failed: {done.stderr.strip()}")
    return done.stdout


def _rows(names: Sequence[str], has_gpu: bool) -> dict[str, registry.Environment]:
    """Return the rows that are named, or the default ones, with their pins for nodes with or without a GPU."""
    every = registry.environments().values()
    rows = [registry.environment(name) for name in names] or [row for row in every if row.is_default]
    return {row.name: built_for(row, has_gpu) for row in rows}


def built_for(row: registry.Environment, has_gpu: bool) -> registry.Environment:
    """Return the row whose environment is for nodes with or without a GPU, whatever this machine has.

    If the nodes differ from this machine, the environment has a folder of its own.
    """
    if has_gpu == HAS_GPU:
        return row
    device = "gpu" if has_gpu else "cpu"
    pins, index = (row.gpu if has_gpu else row.cpu), row.index.get(device, "")
    return row._replace(name=f"{row.name}-{device}", cpu=pins, gpu=pins, index={"cpu": index, "gpu": index})


def _interpreters(session: nox.Session, names: Sequence[str], has_gpu: bool) -> list[str]:
    """Install environments; return the options of the bench that name their interpreters."""
    installed, rows = Installed(), _rows(names, has_gpu)
    installed.add(session, rows.values())
    if not installed.pythons:
        session.error(explain_absence(installed.absent))
    by_row = {row.name: name for name, row in rows.items()}
    return [f"--python={by_row[made]}={python}" for made, python in installed.pythons.items()] + [
        f"--absent={by_row[made]}={why}" for made, why in installed.absent.items()]  # fmt: skip


def _submit(session: nox.Session, options: argparse.Namespace, words: Sequence[str]) -> None:
    named = [f"--environment={name}" for name in options.environment] + [f"--python={text}" for text in options.python]
    installing.begin(session)
    for kind in kinds(SETTINGS, options.partition, options.nodes):
        found = [] if options.python else _interpreters(session, options.environment, bool(kind.gpus))
        python = kind.python or installing.tools(session)
        array = submit(kind, options.output, python, [*words, *named, *found])
        session.log(f"{kind.name}: submitted {kind.nodes} jobs as array {array}; logs are in {options.output / 'logs'}")
    installing.end()


def _status(session: nox.Session, options: argparse.Namespace, _: Sequence[str]) -> None:
    lines = [
        ("job", "kind", "node", "restarts", "since", "state"),
        *(tuple(map(str, job)) for job in jobs(options.output)),
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    table = ["  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    session.log("\n".join([f"Jobs of {options.output}:", *table]))


def _collect(session: nox.Session, options: argparse.Namespace, words: Sequence[str]) -> None:
    installing.use_tools(session)
    folders = [str(Path(session.invoked_from, word)) for word in words] or [str(options.output / "results")]
    run_bench(session, "merge", *folders, "--into", str(options.into))
    for folder in folders:
        session.run("python", "-m", "analysis", "summary", folder)


def _cancel(session: nox.Session, options: argparse.Namespace, _: Sequence[str]) -> None:
    session.log(f"Cancelled arrays: {', '.join(cancel(options.output)) or 'none, because no job is in the queue'}")


def _bundle(session: nox.Session, options: argparse.Namespace, words: Sequence[str]) -> None:
    chosen = kinds(SETTINGS, options.partition) if options.partition or SETTINGS.exists() else []
    rows = _rows(options.environment, any(kind.gpus for kind in chosen))
    path = bundle.write(options.output, rows, [*words, *(f"--environment={name}" for name in options.environment)])
    session.log(f"{path}: unpack it on a node and run `python run.py` in it ({path.stat().st_size / 1e6:.0f} MB)")


VERBS = {"submit": _submit, "status": _status, "collect": _collect, "cancel": _cancel, "bundle": _bundle}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="nox -s cluster --", add_help=False, allow_abbrev=False)
    for option in ("--partition", "--environment", "--python"):
        parser.add_argument(option, action="append", default=[])
    parser.add_argument("--nodes", type=int)
    parser.add_argument("--output", default=str(Path(registry.STATE, "cluster")))
    parser.add_argument("--into", default=str(ROOT / "results"))
    return parser


@nox.session
def cluster(session: nox.Session) -> None:
    """Measure on the nodes of a Slurm cluster: `-- submit`, `status`, `collect`, `cancel`, `bundle` (docs/cluster.md).

    `-- submit --partition gpu --nodes 4` submits a campaign for each of four nodes; further options are the bench's.
    `bundle` writes an archive that measures on machines without a network, and `collect measured` adds its results.
    """
    verb, *words = session.posargs or [""]
    if verb not in VERBS:
        session.error(f"Expected nox -s cluster -- VERB, with a verb of: {', '.join(VERBS)} (docs/cluster.md).")
    options, others = _parser().parse_known_args(words)
    options.output, options.into = (Path(session.invoked_from, path) for path in (options.output, options.into))
    try:
        VERBS[verb](session, options, others)
    except (DefinitionError, CannotInstallError) as error:
        session.error(str(error))
