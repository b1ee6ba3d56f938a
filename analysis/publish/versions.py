"""Publish the last commit as a version of the site, on the branch that GitHub Pages shows.

- nox -s publish -- 2026.11 "H200"             build version 2026.11 from the last commit
- nox -s publish -- 2026.11 "H200" --push      build it and make it public
- nox -s publish -- dev --push                 publish the last commit as `dev`, which is replaced each time
- nox -s publish -- --list                     list the published versions with their sizes
- nox -s publish -- --delete 2026.05 --push    remove a version from the site

A version is named by the month of its newest campaign, and it never changes. Later versions of that month are
2026.11.1, 2026.11.2 and so on. Each version holds the results that it was made from. docs/publishing.md says more.
"""

import argparse
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from mike.git_utils import GitError
from mike.versions import VersionInfo

from analysis.groups import collected
from analysis.inputs import INPUTS, ROOT
from analysis.publish import gh_pages
from analysis.publish.gh_pages import DEVELOPMENT, LATEST, PublishError, Target
from analysis.site import build_site, configuration
from bench import registry
from bench.errors import BenchError

VERSION_MEGABYTES = 15  # of one version
SITE_MEGABYTES = 700  # of all versions together; Pages shows at most 1,000
TITLE_LENGTH = 40  # the selector is in the header
SOURCES = (*INPUTS, "docs", "overrides", "mkdocs.yml")  # what a page is made of

GITHUB = re.compile(r"(?:.*@|.*//)?github\.com[:/]([^/]+)/([^/]+?)(?:\.git)?/?")


def parser() -> argparse.ArgumentParser:
    """Return the command line's parser; its help teaches."""
    top = argparse.ArgumentParser(
        "nox -s publish --", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = top.add_mutually_exclusive_group(required=True)
    what.add_argument("version", nargs="?", help="the newest campaign's month (2026.11, then 2026.11.1), or dev")
    top.add_argument("title", nargs="?", default="", help='a few words for the version selector, such as "H200"')
    what.add_argument("--list", action="store_true", help="print the published versions, newest first, with sizes")
    what.add_argument("--delete", metavar="VERSION", help="remove a version; the newest that remains becomes latest")
    top.add_argument("--push", action="store_true", help="push the branch; without it, nothing leaves this machine")
    top.add_argument("--remote", metavar="NAME", default="origin", help="push there (default: origin)")
    top.add_argument("--branch", default="gh-pages", help="the branch that holds all versions (default: gh-pages)")
    top.add_argument(
        "--url", help="the site's address, for canonical links (default: $SITE_URL, else GitHub's for the remote)"
    )
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Publish, list or delete; an error of this project is printed in one line, without a traceback."""
    options = parser().parse_args(arguments)
    os.chdir(ROOT)  # mike runs git in the current folder
    target = Target(options.branch, options.remote, options.push)
    try:
        gh_pages.catch_up(target)
        if options.list:
            print(listing(target))
        elif options.delete:
            delete(options.delete, target)
        else:
            publish(options.version, options.title, address(options.url, target.remote), target)
    except (BenchError, GitError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def publish(version: str, title: str, url: str, target: Target) -> None:
    """Build the last commit and put it on the branch as `version`: all of that, or nothing.

    Raises:
        PublishError: the name or the title is not allowed, a source is not committed, or a size is over its limit.
        GitError: git failed.
    """
    published = gh_pages.versions(target)
    _check_sources(title)
    _check_name(version, list(published))
    title, revision = f"{version} {title}".strip(), gh_pages.git("rev-parse", "HEAD")
    about = {"SITE_URL": url, "REPOSITORY_URL": repository(target.remote), "PUBLISHED_REVISION": revision,
             "PUBLISHED_VERSION": version, "MIKE_DOCS_VERSION": version,
             "PUBLISHED_VERSIONS": _dated(version, title, published, target),
             "BENCH_STATE": os.path.abspath(registry.STATE)}  # fmt: skip # which keeps the drawn figures
    print(f"Building version {version} from commit {revision[:12]}; this takes about a minute.", flush=True)
    with gh_pages.all_or_nothing(target), gh_pages.exported() as tree:
        configuration.pack(tree, revision, tree / "docs")
        build_site(tree, tree / "site", **about)
        aliases = [LATEST] if is_latest(version, published) else []
        gh_pages.deploy(target, tree / "site", version, title, aliases)
        _check_weight(version, gh_pages.files(target))
    print(f"Version {version} is on branch {target.branch}. {_closing(target)}")


def is_latest(version: str, names: Iterable[str]) -> bool:
    """Return whether a version is newer than all published ones; `dev` never is."""
    newer = (VersionInfo(version).version > VersionInfo(name).version for name in gh_pages.numbered(names))
    return version != DEVELOPMENT and all(newer)


def _dated(new: str, title: str, published: Mapping[str, VersionInfo], target: Target) -> str:
    """Return name, title and date of each version that is named by a month, as JSON: for the feed."""
    tip, titles = f"refs/heads/{target.branch}", {name: version.title for name, version in published.items()}
    dates = {name: gh_pages.date(tip, "--", f"{name}/index.html") for name in published} | {new: gh_pages.date()}
    return json.dumps([(name, titles.get(name, title), dates[name]) for name in gh_pages.numbered(dates)])


def delete(version: str, target: Target) -> None:
    """Take a version off the branch. Raises PublishError if there is no such version, or no other."""
    names = list(gh_pages.versions(target))
    if version not in names:
        raise PublishError(f"there is no version {version} to delete; published: {', '.join(names) or 'none'}.")
    if len(names) == 1:
        raise PublishError(f"{version} is the only version, and a site needs one: publish another first.")
    with gh_pages.all_or_nothing(target):
        gh_pages.delete(target, version)
    print(f"Version {version} is off branch {target.branch}. {_closing(target)}")


def listing(target: Target) -> str:
    """Return a line for each version, with its size, and the sum."""
    published = gh_pages.versions(target)
    if not published:
        return f"Nothing is published on branch {target.branch} yet. {parser().prog} --help says how."
    sizes = sizes_of(gh_pages.files(target))
    lines = [
        f"{name:12} {sizes[name] / 1e6:8.1f} MB  {version.title}{' (latest)' if LATEST in version.aliases else ''}"
        for name, version in published.items()
    ]
    return "\n".join([*lines, _total(sizes)])


def sizes_of(files: Iterable[tuple[str, int]]) -> Counter[str]:
    """Return the bytes of each version, and of each file beside them."""
    sizes = collected((path.partition("/")[0], size) for path, size in files)
    return Counter({name: sum(own) for name, own in sizes.items()})


def address(given: str | None, remote: str) -> str:
    """Return the site's address with a slash at its end. Raises PublishError if neither option nor remote states it."""
    url = given or os.environ.get("SITE_URL") or pages_address(_url(remote))
    if not url:
        raise PublishError(
            "the site's address is unknown, but canonical links and the version selector need it. "
            "Add --url https://where/it/will/be/ (or set SITE_URL)."
        )
    return url.rstrip("/") + "/"


def repository(remote: str) -> str:
    """Return where GitHub shows the repository, so that raw results are links; empty if it is not known."""
    match = GITHUB.fullmatch(_url(remote))
    return os.environ.get("REPOSITORY_URL") or (f"https://github.com/{match[1]}/{match[2]}" if match else "")


def _url(remote: str) -> str:
    """Return the address of a remote; empty if there is no such remote."""
    return gh_pages.git("remote", "get-url", remote) if remote in gh_pages.git("remote").split() else ""


def pages_address(remote: str) -> str | None:
    """Return where GitHub Pages shows a repository, by the address of its remote; None if it is not at GitHub."""
    match = GITHUB.fullmatch(remote)
    if not match:
        return None
    owner, name = match[1].lower(), match[2]
    return f"https://{owner}.github.io/" + ("" if name.lower() == f"{owner}.github.io" else name)


def _check_name(version: str, names: Sequence[str]) -> None:
    month = configuration.newest(ROOT / "results")[:7].replace("-", ".")
    if version == DEVELOPMENT:
        return
    if not month:
        raise PublishError("there is no committed campaign in results/: measure with nox -s bench, then commit it.")
    free = next(name for name in [month, *(f"{month}.{n}" for n in range(1, len(names) + 2))] if name not in names)
    if version in names:
        raise PublishError(
            f"version {version} is published, and a version never changes: readers quote it. Publish as {free}."
        )
    if not re.fullmatch(rf"{re.escape(month)}(\.[1-9]\d*)?", version):
        raise PublishError(
            f"a version is named by the month of its newest campaign, {month} in results/, not {version!r}. "
            f"Further versions of that month end with .1, .2 and so on. Publish as {free}."
        )


def _check_sources(title: str) -> None:
    """Raise PublishError if the title is wrong, or a source differs from the last commit, as pages here then would."""
    if len(title) > TITLE_LENGTH or not title.isprintable():
        raise PublishError(f"a title is at most {TITLE_LENGTH} printable characters; {title!r} has {len(title)}.")
    changed = gh_pages.git("status", "--porcelain", "--", *SOURCES).splitlines()
    if changed:
        shown = "\n".join(["", *changed[:10], *(["..."] if len(changed) > 10 else [])]).replace("\n", "\n  ")
        raise PublishError(
            f"only what is committed is published. Commit these, or put them aside with git stash:{shown}"
        )


def _check_weight(version: str, files: Sequence[tuple[str, int]]) -> None:
    sizes = sizes_of(files)
    if sizes[version] > VERSION_MEGABYTES * 1e6:
        largest = sorted((-size, path) for path, size in files if path.startswith(f"{version}/"))[:3]
        raise PublishError(
            f"version {version} has {sizes[version] / 1e6:.1f} MB, more than the {VERSION_MEGABYTES} MB that "
            f"docs/publishing.md allows; nothing was published. "
            f"Largest: {', '.join(f'{path} {-size / 1e6:.1f} MB' for size, path in largest)}."
        )
    if sizes.total() > SITE_MEGABYTES * 1e6:
        raise PublishError(
            f"all versions together would have {sizes.total() / 1e6:.1f} MB, more than the {SITE_MEGABYTES} MB that "
            "docs/publishing.md allows; nothing was published. See --list, and --delete an old one first."
        )


def _total(sizes: Counter[str]) -> str:
    return f"All versions: {sizes.total() / 1e6:.1f} of {SITE_MEGABYTES} MB."


def _closing(target: Target) -> str:
    """Return the size of all versions, and whether they are public."""
    command = f"`git push {target.remote} {target.branch}`"
    pushed = f"Pushed to {target.remote}." if target.push else f"Not pushed: {command} makes it public."
    return f"{_total(sizes_of(gh_pages.files(target)))} {pushed}"


if __name__ == "__main__":
    sys.exit(main())
