"""A clone of this project in which versions are published, and the repository that it pushes to."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
CAMPAIGN = min((ROOT / "results").glob("*/*.jsonl"), key=lambda path: path.stat().st_size)
FIRST = f"{CAMPAIGN.name[:4]}.{CAMPAIGN.name[4:6]}"  # a version is named by the month of its campaign
SECOND, THIRD = f"{FIRST}.1", f"{FIRST}.2"
PAGE = "generated/workloads/mnist_mlp/"
SITE_URL = "https://example.org/rosetta/"  # where the clone believes it will be read
REPOSITORY_URL = "https://github.com/example/rosetta"  # and where it believes its files are shown
GIT = {  # what git is run with: nothing of the user's own
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Reader", "GIT_AUTHOR_EMAIL": "reader@example.org",
    "GIT_COMMITTER_NAME": "Reader", "GIT_COMMITTER_EMAIL": "reader@example.org",
}  # fmt: skip
UNKNOWN = ("SITE_URL", "GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA")
ENVIRONMENT = {name: value for name, value in GIT.items() if name not in UNKNOWN} | {"REPOSITORY_URL": REPOSITORY_URL}


class House(NamedTuple):
    """A clone of this project with one small campaign, and the bare repository that it pushes to."""

    clone: Path
    remote: Path

    def git(self, *words: str, where: Path | None = None) -> str:
        command = ["git", *words]
        return subprocess.run(
            command, cwd=where or self.clone, env=ENVIRONMENT, capture_output=True, text=True, check=True
        ).stdout.strip()

    def publish(self, *words: str, expect: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "analysis.publish.versions", *words],
            cwd=self.clone, env=ENVIRONMENT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == expect, done.stdout + done.stderr
        return done.stdout + done.stderr

    def commit(self, name: str, old: str, new: str) -> None:
        file = self.clone / name
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")
        self.git("commit", "--quiet", "--all", "--message", f"Edit {name}")

    def tips(self) -> tuple[str, str]:
        """Return the commit of gh-pages here, and at the remote."""
        words = ("for-each-ref", "--format=%(objectname)", "refs/heads/gh-pages")
        return self.git(*words), self.git(*words, where=self.remote)

    def checked_out(self, folder: Path) -> Path:
        """Return a web server's folder: what the remote shows lies below rosetta/."""
        self.git("clone", "--quiet", "--branch", "gh-pages", str(self.remote), str(folder / "rosetta"), where=folder)
        shutil.rmtree(folder / "rosetta" / ".git")
        return folder

    def copy(self, folder: Path) -> "House":
        """Return the same once more, to be spoilt."""
        shutil.copytree(self.clone, folder / "clone")
        shutil.copytree(self.remote, folder / "remote.git")
        other = House(folder / "clone", folder / "remote.git")
        other.git("remote", "set-url", "origin", str(other.remote))
        return other


def cloned(root: Path, folder: Path, campaign: Path) -> House:
    """Return a clone of `root` with an empty remote; of the results, it has `campaign` and one parity answer."""
    made = House(folder / "clone", folder / "remote.git")
    listed = subprocess.run(
        ["git", "ls-files", "-coz", "--exclude-standard"], cwd=root, capture_output=True, check=True
    )
    answer = min((root / "results" / "parity").rglob("*.npz"), key=lambda path: path.stat().st_size)
    wanted = (root / "results" / "README.md", campaign, answer)
    for name in listed.stdout.decode().split("\0")[:-1]:
        if (root / name).exists() and (root / name in wanted or not name.startswith("results/")):
            (made.clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, made.clone / name)
    made.git("init", "--quiet", "--bare", str(made.remote), where=folder)
    for words in (["init", "--quiet", "-b", "main"], ["add", "."], ["commit", "--quiet", "-m", "All"],
                  ["remote", "add", "origin", str(made.remote)]):  # fmt: skip
        made.git(*words)
    return made
