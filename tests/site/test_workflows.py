"""The workflows may do what docs/publishing.md says, and no more: a pull request is a stranger's code."""

import re
from pathlib import Path

import pytest
import yaml

FILES = sorted((Path(__file__).resolve().parents[2] / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
STRANGERS = {"contents": "read"}


def triggers(workflow):
    """Return a workflow's events; YAML 1.1 reads the word `on` as true."""
    return workflow[True]


def steps(workflow):
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def text(request):
    return request.param.read_text(encoding="utf-8")


@pytest.fixture
def workflow(text):
    return yaml.safe_load(text)


def test_there_are_workflows():
    assert [path.stem for path in FILES] == ["pages", "site", "tests"]


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
    pages = yaml.safe_load(next(path for path in FILES if path.stem == "pages").read_text(encoding="utf-8"))
    assert [step for step in steps(pages) if "run" in step] == []
    assert "workflow_run.event == 'push'" in pages["jobs"]["deploy"]["if"]


def test_pull_requests_run_what_the_project_s_own_check_runs():
    own = (FILES[0].parents[2] / ".ci" / "run").read_text(encoding="utf-8")
    wanted = {session for line in re.findall(r"^nox -s ([\w ]+)", own, re.MULTILINE) for session in line.split()}
    texts = [path.read_text(encoding="utf-8") for path in FILES]
    called = {
        session for text in texts for line in re.findall(r"run: nox -s ([\w ]+)", text) for session in line.split()
    }
    assert wanted <= called
