"""The workflows may do what docs/publishing.md says, and no more: a pull request is a stranger's code."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml
from house import GIT

ROOT = Path(__file__).resolve().parents[2]
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))}
SITE = yaml.safe_load(TEXTS["site"])
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
STRANGERS = {"contents": "read"}
INSTALLS_NOTHING = r"(git|if|then|fi|echo|exit)\b"  # what a line may begin with where the right to write is


def triggers(workflow):
    """Return a workflow's events; YAML 1.1 reads the word `on` as true."""
    return workflow[True]


def steps(workflow):
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


@pytest.fixture(params=TEXTS)
def text(request):
    return TEXTS[request.param]


@pytest.fixture
def workflow(text):
    return yaml.safe_load(text)


def test_there_are_workflows():
    assert list(TEXTS) == ["pages", "site", "tests"]


def test_every_action_is_pinned_by_commit_with_its_version_beside(text, workflow):
    used = re.findall(r"uses: *(.+)", text)
    assert len(used) == sum("uses" in step for step in steps(workflow)) > 0
    assert [each for each in used if not PINNED.fullmatch(each)] == []


def test_permissions_are_stated_for_every_job_and_empty_by_default(workflow):
    assert workflow["permissions"] == {}
    assert all(isinstance(job["permissions"], dict) for job in workflow["jobs"].values())


def test_jobs_end(workflow):
    assert all(0 < job["timeout-minutes"] <= 120 for job in workflow["jobs"].values())


def test_no_workflow_gives_a_stranger_s_code_the_rights_of_this_repository(text, workflow):
    assert "pull_request_target" not in text
    assert "secrets" not in [word for line in text.splitlines() for word in re.findall(r"\w+", line.split("#")[0])]
    if "pull_request" in triggers(workflow):
        jobs = [job for job in workflow["jobs"].values() if job.get("if") != "github.event_name == 'push'"]
        assert jobs
        assert all(job["permissions"] == STRANGERS for job in jobs)
        checkouts = [step for job in jobs for step in job["steps"] if "checkout" in step.get("uses", "")]
        assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_no_word_of_an_event_is_pasted_into_a_script(workflow):
    assert [step["run"] for step in steps(workflow) if "${{" in step.get("run", "")] == []


def test_the_workflow_that_shows_pages_runs_nothing_of_them():
    pages = yaml.safe_load(TEXTS["pages"])
    assert [step for step in steps(pages) if "run" in step] == []
    assert "workflow_run.event == 'push'" in pages["jobs"]["deploy"]["if"]


def test_pull_requests_run_what_the_project_s_own_check_runs():
    own = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for_strangers = [text for text in TEXTS.values() if "pull_request" in triggers(yaml.safe_load(text))]
    called = {session for text in for_strangers for session in sessions(text)}
    assert len(sessions(own)) >= 7
    assert sessions(own) <= called


def sessions(text):
    """Return the nox sessions that the lines of a script or a workflow run."""
    lines = re.findall(r"^ *(?:- run: )?nox -s ((?:\w[\w-]* ?)+)", text, re.MULTILINE)
    return {session for line in lines for session in line.split()}


def test_versions_wait_for_each_other_and_none_that_waits_is_dropped():
    assert SITE["concurrency"] == {"group": "site", "queue": "max"}  # no branch or tag in the name: one for all


def test_what_may_write_installs_nothing_and_runs_git_alone():
    writing = {name: job for name, job in SITE["jobs"].items() if "write" in job["permissions"].values()}
    assert list(writing) == ["push"]
    used = {step["uses"].partition("@")[0] for step in writing["push"]["steps"] if "uses" in step}
    assert used == {"actions/checkout", "actions/download-artifact"}
    lines = [line for step in writing["push"]["steps"] for line in step.get("run", "").splitlines()]
    assert lines
    assert [line for line in lines if not re.match(INSTALLS_NOTHING, line.strip())] == []


def test_two_versions_made_at_once_are_not_pushed_over_each_other(tmp_path):
    """The workflow's own scripts, with a bare repository as origin: a push that comes too late does nothing."""
    bundle, push = (SITE["jobs"][name]["steps"] for name in ("version", "push"))
    bundle = next(step["run"] for step in bundle if "git bundle" in step.get("run", ""))
    git(tmp_path, "init", "--quiet", "--bare", "-b", "main", "origin.git")
    git(tmp_path, "clone", "--quiet", "origin.git", "work")
    commit(tmp_path / "work", "main", "README.md")
    git(tmp_path / "work", "push", "--quiet", "origin", "main")
    made = [version(tmp_path, name, bundle) for name in ("2026.11", "dev")]
    said = [script(folder, push[-1]["run"]) for folder in made]
    assert [done.returncode for done in said] == [0, 1]
    assert "Run all jobs of this workflow again" in said[1].stdout
    assert git(tmp_path / "origin.git", "ls-tree", "--name-only", "gh-pages") == "2026.11"
    third = version(tmp_path, "2026.11.1", bundle)
    assert script(third, push[-1]["run"]).returncode == 0
    assert git(tmp_path / "origin.git", "ls-tree", "--name-only", "gh-pages").split() == ["2026.11", "2026.11.1"]


def git(folder, *words):
    done = subprocess.run(["git", *words], cwd=folder, env=GIT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def script(folder, text):
    return subprocess.run(["bash", "-e", "-c", text], cwd=folder, env=GIT, capture_output=True, text=True, check=False)


def commit(folder, branch, name):
    git(folder, "switch", "--quiet", *(["--orphan"] if not git(folder, "branch", "--list", branch) else []), branch)
    (folder / name).write_text("x", encoding="utf-8")
    git(folder, "add", name)
    git(folder, "commit", "--quiet", "--message", name)


def version(folder, name, bundle):
    """Clone origin twice: publish a version in the one clone, and carry its bundle to the other."""
    made, pushing = folder / f"made-{name}", folder / f"pushing-{name}"
    for clone in (made, pushing):
        git(folder, "clone", "--quiet", "origin.git", str(clone))
    if git(made, "branch", "--list", "--remotes", "origin/gh-pages"):
        git(made, "branch", "--quiet", "gh-pages", "origin/gh-pages")
    commit(made, "gh-pages", name)
    assert script(made, bundle).returncode == 0
    (made / "version.bundle").rename(pushing / "version.bundle")
    return pushing
