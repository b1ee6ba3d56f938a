"""The branch that holds every published version: mike writes it; a change is made as a whole or not at all."""

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from mike import commands, git_utils
from mike.versions import VersionInfo

from analysis.inputs import ROOT
from bench.errors import BenchError

LATEST = "latest"
DEVELOPMENT = "dev"
LOST = "404.html"
MIKE = {"alias_type": commands.AliasType.redirect, "allow_empty": True}
UNUSED = re.compile(r"\.map$|/javascripts/lunr/")  # source maps, and the search in other languages: 2 MB
INDENTED = re.compile(r"<(pre|script|style|textarea)\b.*?</\1>|\n\s+", re.DOTALL)  # group 1: where spaces count
SHARED = ("generated/data/", "generated/feed.xml", "llms.txt")  # addresses below `latest/` that programs read


class PublishError(BenchError):
    """A version cannot be published or deleted as asked."""


class Target(NamedTuple):
    """The branch of the versions, the remote that makes it public, and whether to push now."""

    branch: str
    remote: str
    push: bool


def versions(target: Target) -> dict[str, VersionInfo]:
    """Return the published versions by name: `dev` first, then the newest first."""
    return {str(version.version): version for version in commands.list_versions(target.branch)}


def numbered(names: Iterable[str]) -> list[str]:
    """Return the names of versions that are months."""
    return [name for name in names if name != DEVELOPMENT]


def files(target: Target) -> list[tuple[str, int]]:
    """Return every file on the branch with its bytes."""
    lines = git("ls-tree", "-r", "-l", "-z", f"refs/heads/{target.branch}").split("\0")[:-1]
    return [(path, int(facts.split()[3])) for facts, _, path in (line.partition("\t") for line in lines)]


def date(*where: str) -> str:
    """Return when the last commit was made, in UTC; `where` names a branch and a path."""
    return git("log", "-1", "--date=format-local:%Y-%m-%dT%H:%M:%SZ", "--format=%cd", *where, TZ="UTC")


def deploy(target: Target, site: Path, version: str, title: str, aliases: Sequence[str]) -> None:
    """Put a built site on the branch. The first version decides where the site's own address leads to."""
    published = versions(target)
    shrink(site)
    configuration = {"site_dir": str(site), "use_directory_urls": True}
    with commands.deploy(configuration, version, title, aliases, update_aliases=True, branch=target.branch, **MIKE):
        pass  # mike commits what is built by the end of this block
    if not (numbered(published) if aliases else published):
        commands.set_default(LATEST if aliases else DEVELOPMENT, branch=target.branch)
    complete(target)


def delete(target: Target, version: str) -> None:
    """Remove a version from the branch. If it was the latest, the newest that remains becomes the latest."""
    commands.delete([version], branch=target.branch)
    published = versions(target)
    if not any(LATEST in version.aliases for version in published.values()):
        if releases := numbered(published):
            commands.alias({"use_directory_urls": True}, releases[0], [LATEST], branch=target.branch, **MIKE)
        else:
            commands.set_default(DEVELOPMENT, branch=target.branch)
    complete(target)


def complete(target: Target) -> None:
    """Add to the branch what mike leaves out: 404.html at its top, and data files under `latest/`.

    GitHub Pages shows the top's 404.html for every unknown address. Files that programs read are copied from the
    latest version, because the alias of mike redirects pages only. Their addresses under the alias never change.
    """
    published = versions(target)
    latest = next((name for name, version in published.items() if LATEST in version.aliases), None)
    wanted = {f"{latest or next(iter(published))}/{LOST}": LOST}
    paths = (path.partition("/") for path, _ in files(target))
    wanted |= {f"{name}/{path}": f"{LATEST}/{path}" for name, _, path in paths
               if name == latest and path.startswith(SHARED)}  # fmt: skip
    what = f"Show {LOST} for every version, and data files of the latest one under {LATEST}"
    with suppress(git_utils.GitEmptyCommit), git_utils.Commit(target.branch, what) as commit:
        for source, copy in wanted.items():
            content = git_utils.read_file(target.branch, source, follow_symlinks=False)
            commit.add_file(git_utils.FileInfo(copy, content))


def shrink(site: Path) -> None:
    """Remove from a built site the theme's files that no page asks for, and the indentation of HTML."""
    for path in [path for path in site.rglob("*") if path.is_file()]:
        if UNUSED.search(path.as_posix()):
            path.unlink()
        elif path.suffix == ".html":
            path.write_text(unindented(path.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")


def unindented(text: str) -> str:
    """Return HTML without indentation and empty lines, except where a browser shows them."""
    return INDENTED.sub(lambda match: match[0] if match[1] else "\n", text)


def catch_up(target: Target) -> None:
    """Bring the branch to the remote's: as last fetched or, before a push, as it is now."""
    branch = f"refs/heads/{target.branch}"
    if target.push and git("ls-remote", "--heads", target.remote, branch):
        git("fetch", "--quiet", target.remote, f"+{branch}:refs/remotes/{target.remote}/{target.branch}")
    try:
        git_utils.update_from_upstream(target.remote, target.branch)
    except (git_utils.GitBranchDiverged, git_utils.GitRevUnrelated):
        raise PublishError(
            f"branch {target.branch} has other versions here than on {target.remote}. To take those of "
            f"{target.remote}: git branch --force {target.branch} {target.remote}/{target.branch}; then publish again."
        ) from None


@contextmanager
def all_or_nothing(target: Target) -> Iterator[None]:
    """Push the branch after the changes, if the target asks for it. Restore the branch if anything fails."""
    branch = f"refs/heads/{target.branch}"
    before = git("for-each-ref", "--format=%(objectname)", branch)
    try:
        yield
        if target.push:
            git_utils.push_branch(target.remote, target.branch)
    except BaseException:
        git("update-ref", *([branch, before] if before else ["-d", branch]))
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


def git(*words: str, **variables: str) -> str:
    """Run git in this repository and return what it prints. Raises PublishError with git's message."""
    done = subprocess.run(["git", *words], cwd=ROOT, env={**os.environ, **variables},
                          capture_output=True, text=True, check=False)  # fmt: skip
    if done.returncode:
        raise PublishError(f"git {words[0]} failed: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout.rstrip("\n")
