"""Publish what is committed as a version of the site, on a branch that Pages shows.

  nox -s publish -- 2026.11 "H200"             build version 2026.11 from the last commit
  nox -s publish -- 2026.11 "H200" --push      the same, and make it public
  nox -s publish -- dev --push                 the last commit as it is: replaced each time, never the latest version
  nox -s publish -- --list                     what is published, and its size
  nox -s publish -- --delete 2026.05 --push    take a version off the site

A version is named by the month of its newest campaign. It never changes: what is published again in that month is
2026.11.1, 2026.11.2 and so on. Each holds the results that it was made from. docs/publishing.md says more.
"""

import argparse
import json
import os
import re
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from analysis.inputs import INPUTS, ROOT
from analysis.publish import gh_pages
from analysis.publish.gh_pages import DEVELOPMENT, LATEST, PublishError, Target, Version
from analysis.site.beyond import catalogue
from bench import registry
from bench.errors import BenchError

VERSION_MEGABYTES = 15  # of one version
SITE_MEGABYTES = 700  # of all versions together; Pages shows at most 1,000
TITLE_LENGTH = 40  # the selector stands in the header
SOURCES = (*INPUTS, "docs", "overrides", "mkdocs.yml")  # what a page is made of

NAME = re.compile(r"(\d{4}\.(?:0[1-9]|1[0-2]))(?:\.[1-9]\d*)?")
CAMPAIGN = re.compile(r"results/[^/]+/(\d{4})(\d{2})\d{2}-\d{6}\.jsonl")
GITHUB = re.compile(r"(?:.*@|.*//)?github\.com[:/]([^/]+)/([^/]+?)(?:\.git)?/?")


def parser() -> argparse.ArgumentParser:
    """Return the command line's parser; its help teaches."""
    top = argparse.ArgumentParser(
        "nox -s publish --", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    top.add_argument("version", nargs="?", help="the newest campaign's month (2026.11, then 2026.11.1), or dev")
    top.add_argument("title", nargs="?", default="", help='a few words for the version selector, such as "H200"')
    top.add_argument("--list", action="store_true", help="print what is published, newest first, with sizes")
    top.add_argument("--delete", metavar="VERSION", help="take a version off; the newest that remains becomes latest")
    top.add_argument("--push", action="store_true", help="push the branch; without it, nothing leaves this machine")
    top.add_argument("--remote", metavar="NAME", default="origin", help="push there (default: origin)")
    top.add_argument("--branch", default="gh-pages", help="the branch that holds all versions (default: gh-pages)")
    top.add_argument(
        "--url", help="the site's address, for canonical links (default: $SITE_URL, else GitHub's for the remote)"
    )
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Do one thing; an error of this project is one line, not a traceback."""
    command = parser()
    options = command.parse_args(arguments)
    if sum((bool(options.version), options.list, bool(options.delete))) != 1:
        command.error("give a version, --list, or --delete VERSION")
    place = Target(options.branch, options.remote, options.push)
    try:
        gh_pages.catch_up(place)
        if options.list:
            print(listing(place))
        elif options.delete:
            delete(options.delete, place)
        else:
            publish(options.version, options.title, address(options.url, place.remote), place)
    except BenchError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def publish(version: str, title: str, url: str, place: Target) -> None:
    """Build the last commit and put it on the branch as `version`: all of that, or nothing.

    Raises:
        PublishError: a name that is not the newest campaign's month, a version that exists, a title that does not fit
            the selector, sources that are not committed, more bytes than the budget allows, or git or mike failing.
    """
    published = gh_pages.versions(place)
    _check_name(version, published)
    _check_title(title)
    title = f"{version} {title}".strip()
    _check_committed()
    _check_builder()
    numbered = [each for each in published if each.order]
    is_latest = version != DEVELOPMENT and all(Version(version, "", False).order > each.order for each in numbered)
    revision = gh_pages.git("rev-parse", "HEAD")
    about = {"SITE_URL": url, "REPOSITORY_URL": repository(place.remote),
             "PUBLISHED_REVISION": revision, "PUBLISHED_VERSION": version,
             "PUBLISHED_VERSIONS": _dated(Version(version, title, is_latest), published, place)}  # fmt: skip
    print(f"Building version {version} from commit {revision[:12]}; this takes about a minute.", flush=True)
    with gh_pages.all_or_nothing(place), gh_pages.exported() as tree:
        catalogue.pack(tree, revision, tree / "docs")
        gh_pages.generate(tree, BENCH_STATE=os.path.abspath(registry.STATE), **about)  # which keeps the drawn figures
        words = ["--update-aliases", "--title", title, version, *([LATEST] if is_latest else [])]
        gh_pages.mike(place, tree, "deploy", "--config-file=site.yml", *words, **about)
        if not (numbered if is_latest else published):
            gh_pages.mike(place, ROOT, "set-default", LATEST if is_latest else DEVELOPMENT)
        gh_pages.complete(place, version)
        _check_weight(version, place)
    print(f"Version {version} is on branch {place.branch}. {_weights(place)} {_what_next(place)}")


def _dated(new: Version, published: Sequence[Version], place: Target) -> str:
    """Return name, title and date of each version that is named by a month, as JSON: for the feed."""
    dates = {each.name: gh_pages.date(place, each.name) for each in published} | {new.name: gh_pages.date()}
    return json.dumps([(each.name, each.title, dates[each.name]) for each in (*published, new) if each.order])


def delete(version: str, place: Target) -> None:
    """Take a version off the branch; where it was the latest, the newest that remains becomes that.

    Raises:
        PublishError: there is no such version, or no other.
    """
    published = gh_pages.versions(place)
    gone = next((each for each in published if each.name == version), None)
    remaining = [each for each in published if each.name != version]
    if gone is None:
        known = ", ".join(each.name for each in published) or "none"
        raise PublishError(f"there is no version {version} to delete; published: {known}.")
    if not remaining:
        raise PublishError(f"{version} is the only version, and a site needs one: publish another first.")
    with gh_pages.all_or_nothing(place):
        gh_pages.mike(place, ROOT, "delete", version)
        newest = max(remaining, key=lambda each: each.order)
        if gone.is_latest and newest.order:
            gh_pages.mike(place, ROOT, "alias", newest.name, LATEST)
        elif gone.is_latest:
            gh_pages.mike(place, ROOT, "set-default", DEVELOPMENT)
        gh_pages.complete(place)
    print(f"Version {version} is off branch {place.branch}. {_weights(place)} {_what_next(place)}")


def listing(place: Target) -> str:
    """Return a line for each version, with its size, and the sum."""
    published = gh_pages.versions(place)
    if not published:
        return f"Nothing is published on branch {place.branch} yet. {parser().prog} --help says how."
    sizes = gh_pages.weigh(place)
    lines = [
        f"{each.name:12} {sizes[each.name] / 1e6:8.1f} MB  {each.title}{' (latest)' if each.is_latest else ''}"
        for each in published
    ]
    return "\n".join([*lines, _weights(place)])


def address(given: str | None, remote: str) -> str:
    """Return the address at which the site will be read, with a slash at its end.

    Raises:
        PublishError: nobody said it, and the remote does not tell.
    """
    known = given or os.environ.get("SITE_URL") or pages_address(_url(remote))
    if not known:
        raise PublishError(
            "the site's address is not known, and canonical links and the version selector need it: "
            "add --url https://where/it/will/be/ (or set SITE_URL)."
        )
    return known.rstrip("/") + "/"


def repository(remote: str) -> str:
    """Return where GitHub shows the repository, so that raw results are links; empty where nobody knows."""
    found = GITHUB.fullmatch(_url(remote))
    return os.environ.get("REPOSITORY_URL") or (f"https://github.com/{found[1]}/{found[2]}" if found else "")


def _url(remote: str) -> str:
    """Return the address of a remote; empty where there is no such remote."""
    return gh_pages.git("remote", "get-url", remote) if remote in gh_pages.git("remote").split() else ""


def pages_address(remote: str) -> str | None:
    """Return where GitHub Pages shows a repository, by the address of its remote; None for one that lies elsewhere."""
    found = GITHUB.fullmatch(remote)
    if not found:
        return None
    owner, name = found[1].lower(), found[2]
    return f"https://{owner}.github.io/" + ("" if name.lower() == f"{owner}.github.io" else name)


def _check_name(version: str, published: Sequence[Version]) -> None:
    if version == DEVELOPMENT:
        return
    found = NAME.fullmatch(version)
    month = _newest_month()
    names = [each.name for each in published]
    free = next(name for name in [month, *(f"{month}.{n}" for n in range(1, len(names) + 2))] if name not in names)
    if version in names:
        raise PublishError(
            f"version {version} is published, and a version never changes: readers quote it. Publish as {free}."
        )
    if not found or found[1] != month:
        raise PublishError(
            f"a version is named by the month of its newest campaign, {month} in results/, "
            f"with .1, .2 ... for the next ones of that month; {version!r} came. Publish as {free}."
        )


def _newest_month() -> str:
    """Return the month in which the newest committed campaign began, as versions write it."""
    names = gh_pages.git("ls-tree", "-r", "--name-only", "HEAD", "results").splitlines()
    months = [f"{found[1]}.{found[2]}" for found in map(CAMPAIGN.fullmatch, names) if found]
    if not months:
        raise PublishError("there is no committed campaign in results/: measure with nox -s bench, then commit it.")
    return max(months)


def _check_title(title: str) -> None:
    if len(title) > TITLE_LENGTH or not title.isprintable():
        raise PublishError(f"a title is at most {TITLE_LENGTH} printable characters; {title!r} has {len(title)}.")


def _check_committed() -> None:
    """Refuse when somebody would see other pages here than the ones that are published."""
    changed = gh_pages.git("status", "--porcelain", "--", *SOURCES).splitlines()
    if changed:
        shown = "\n".join(["", *changed[:10], *(["..."] if len(changed) > 10 else [])]).replace("\n", "\n  ")
        raise PublishError(
            f"only what is committed is published. Commit these, or put them aside with git stash:{shown}"
        )


def _check_builder() -> None:
    """Refuse where mike would silently build with another program than the one that is pinned and tested."""
    if find_spec("properdocs"):
        raise PublishError("mike builds with properdocs where it is installed; uninstall it from this environment.")


def _check_weight(version: str, place: Target) -> None:
    sizes = gh_pages.weigh(place)
    if sizes[version] > VERSION_MEGABYTES * 1e6:
        own = [file for file in gh_pages.files(place) if file[0].startswith(f"{version}/")]
        own.sort(key=lambda file: -file[1])
        largest = ", ".join(f"{path} {size / 1e6:.1f} MB" for path, size in own[:3])
        raise PublishError(
            f"version {version} has {sizes[version] / 1e6:.1f} MB, more than the {VERSION_MEGABYTES} MB that "
            f"docs/publishing.md allows; nothing was published. Largest: {largest}."
        )
    if sizes.total() > SITE_MEGABYTES * 1e6:
        raise PublishError(
            f"all versions together would have {sizes.total() / 1e6:.1f} MB, more than the {SITE_MEGABYTES} MB that "
            "docs/publishing.md allows; nothing was published. See --list, and --delete an old one first."
        )


def _weights(place: Target) -> str:
    return f"All versions: {gh_pages.weigh(place).total() / 1e6:.1f} of {SITE_MEGABYTES} MB."


def _what_next(place: Target) -> str:
    pushed = f"Pushed to {place.remote}."
    return pushed if place.push else f"Not pushed: `git push {place.remote} {place.branch}` makes it public."


if __name__ == "__main__":
    sys.exit(main())
