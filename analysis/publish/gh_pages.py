"""The branch that holds every published version: read it, and change it as a whole or not at all, by git and mike."""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from analysis.inputs import ROOT
from bench.errors import BenchError

LATEST = "latest"
DEVELOPMENT = "dev"
LOST = "404.html"
UNUSED = re.compile(r"\.map$|/javascripts/lunr/")  # source maps, and the search in other languages: 2 MB
INDENTED = re.compile(r"<(pre|script|style|textarea)\b.*?</\1>|\n\s+", re.DOTALL)  # group 1: where spaces count
SHARED = ("generated/data", "generated/feed.xml", "llms.txt")  # addresses below `latest/` that programs read


class PublishError(BenchError):
    """A version cannot be published or deleted as asked."""


class Target(NamedTuple):
    """Where versions lie: a branch, and the remote that makes it public; `push` says whether that is wanted now."""

    branch: str
    remote: str
    push: bool


class Version(NamedTuple):
    """One published version, as the site's selector knows it."""

    name: str
    title: str
    is_latest: bool

    @property
    def order(self) -> tuple[int, ...]:
        """Return what versions are sorted by; empty for one that is not named by a month."""
        parts = self.name.split(".")
        return tuple(map(int, parts)) if all(part.isdecimal() for part in parts) else ()


def versions(place: Target) -> list[Version]:
    """Return what is published, newest first; a branch that is not there yet has nothing."""
    found = json.loads(git("show", f"refs/heads/{place.branch}:versions.json")) if _tip(place.branch) else []
    return [Version(each["version"], each["title"], LATEST in each["aliases"]) for each in found]


def weigh(place: Target) -> Counter[str]:
    """Return the bytes of each version, and of each file beside them."""
    sizes: Counter[str] = Counter()
    for path, size in files(place):
        sizes[path.split("/")[0]] += size
    return sizes


def files(place: Target) -> Iterator[tuple[str, int]]:
    """Yield every file on the branch with its bytes."""
    for line in git("ls-tree", "-r", "-l", "-z", f"refs/heads/{place.branch}").split("\0")[:-1]:
        facts, path = line.split("\t", 1)
        yield path, int(facts.split()[3])


def date(place: Target | None = None, version: str = "") -> str:
    """Return when a version was built, in UTC; without one, when the last commit was made."""
    where = [f"refs/heads/{place.branch}", "--", f"{version}/index.html"] if place else []
    return git("log", "-1", "--date=format-local:%Y-%m-%dT%H:%M:%SZ", "--format=%cd", *where, TZ="UTC")


def complete(place: Target, built: str = "") -> None:
    """Add to the branch what mike leaves out: 404.html at its top, and data files under `latest/`.

    GitHub Pages shows the top's 404.html for every unknown address. mike's alias redirects pages only, so the files of
    the latest version that are read by programs are copied under the alias, where their addresses never change. Of the
    version that was `built` now, the theme's files that no page asks for are removed, and the indentation of HTML.
    """
    tip, published = f"refs/heads/{place.branch}", versions(place)
    latest = next((each for each in published if each.is_latest), None)
    with tempfile.TemporaryDirectory() as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
        git("read-tree", tip, **index)
        if latest:
            git("update-index", "--index-info", given=_shared(tip, latest.name), **index)
        if built:
            names = git("ls-tree", "-r", "--name-only", tip, f"{built}/assets").splitlines()
            unused = "".join(f"0 {'0' * 40}\t{name}\n" for name in names if UNUSED.search(name))
            git("update-index", "--index-info", given=unused + _unindented(tip, built), **index)
        page = git("rev-parse", f":{(latest or published[0]).name}/{LOST}", **index)
        git("update-index", "--add", "--cacheinfo", f"100644,{page},{LOST}", **index)
        tree = git("write-tree", **index)
    if tree != git("rev-parse", f"{tip}^{{tree}}"):
        what = f"Show {LOST} for every version, and data files of the latest one under {LATEST}"
        git("update-ref", tip, git("commit-tree", tree, "-p", tip, "-m", what))


def _shared(tip: str, name: str) -> str:
    """Return a line for each data file of a version: the same file under `latest/`, as `update-index` reads it."""
    listed = git("ls-tree", "-r", f"{tip}:{name}", *SHARED).splitlines()
    return "".join("{0}\t{2}/{1}\n".format(*line.split("\t", 1), LATEST) for line in listed)


def _unindented(tip: str, name: str) -> str:
    """Return a line for each page of a version, shorter by the indentation that the theme's templates leave."""
    found = (line.split("\t", 1) for line in git("ls-tree", "-r", tip, name).splitlines())
    pages = {path: about.split()[2] for about, path in found if path.endswith(".html")}
    texts = {path: unindented(git("cat-file", "blob", blob)) for path, blob in pages.items()}
    written = {path: git("hash-object", "-w", "--stdin", given=text) for path, text in texts.items()}
    return "".join(f"100644 {blob}\t{path}\n" for path, blob in written.items())


def unindented(text: str) -> str:
    """Return HTML without indentation and empty lines, except where a browser shows them."""
    return INDENTED.sub(lambda found: found[0] if found[1] else "\n", text)


def catch_up(place: Target) -> None:
    """Bring the branch to what the remote has: as known here or, before a push, as it is now."""
    branch, there = f"refs/heads/{place.branch}", f"refs/remotes/{place.remote}/{place.branch}"
    if place.push and git("ls-remote", "--heads", place.remote, branch):
        git("fetch", "--quiet", place.remote, f"+{branch}:{there}")
    if not git("for-each-ref", there):
        return
    if not _tip(place.branch):
        git("update-ref", branch, there)
    here_only, there_only = git("rev-list", "--left-right", "--count", f"{branch}...{there}").split()
    if int(here_only) and int(there_only):
        raise PublishError(
            f"branch {place.branch} has other versions here than on {place.remote}. To take those of {place.remote}: "
            f"git branch --force {place.branch} {place.remote}/{place.branch}; then publish again."
        )
    if int(there_only):
        git("update-ref", branch, there)


@contextmanager
def all_or_nothing(place: Target) -> Iterator[None]:
    """Push what was done to the branch where that is wanted; put the branch back when anything fails."""
    before = _tip(place.branch)
    try:
        yield
        if place.push:
            git("push", "--quiet", place.remote, f"refs/heads/{place.branch}")
    except BaseException:
        if before:
            git("update-ref", f"refs/heads/{place.branch}", before)
        elif _tip(place.branch):
            git("update-ref", "-d", f"refs/heads/{place.branch}")
        raise


@contextmanager
def exported() -> Iterator[Path]:
    """Yield a folder that holds the last commit and nothing else."""
    with tempfile.TemporaryDirectory(prefix="rosetta-publish-") as folder:
        tree = Path(folder, "tree")
        git("worktree", "add", "--quiet", "--detach", str(tree), "HEAD")
        try:
            yield tree
        finally:
            git("worktree", "remove", "--force", str(tree))


def generate(folder: Path, **variables: str) -> None:
    """Write the pages of a work tree, and the configuration that they are built by."""
    _run(folder, "generate the pages", ["-m", "analysis", "site"], variables)


def mike(place: Target, folder: Path, command: str, *words: str, **variables: str) -> None:
    """Run mike in a work tree, with all that it prints shown."""
    own = str(Path(sys.executable).parent)  # where mike finds mkdocs, and mkdocs this project
    found = {"PATH": os.pathsep.join([own, os.environ.get("PATH", os.defpath)]), "PYTHONPATH": str(folder)}
    line = ["-c", "from mike.driver import main; main()", command, "--branch", place.branch, "--remote", place.remote]
    _run(folder, f"run mike {command}", [*line, *words], {"NO_MKDOCS_2_WARNING": "1", **found, **variables})


def _run(folder: Path, what: str, line: list[str], variables: dict[str, str]) -> None:
    if subprocess.run([sys.executable, *line], cwd=folder, env={**os.environ, **variables}, check=False).returncode:
        raise PublishError(f"could not {what}; the lines above say why. The branch is as it was.")


def git(*words: str, given: str | None = None, **variables: str) -> str:
    """Run git in this repository, with the text that it reads; returns what it prints.

    Raises:
        PublishError: with what git says, when it fails.
    """
    done = subprocess.run(["git", *words], cwd=ROOT, env={**os.environ, **variables},
                          input=given, capture_output=True, text=True, check=False)  # fmt: skip
    if done.returncode:
        raise PublishError(f"git {words[0]} failed: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout.rstrip("\n")


def _tip(branch: str) -> str:
    """Return a branch's commit, or nothing where there is no such branch."""
    return git("for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}")
