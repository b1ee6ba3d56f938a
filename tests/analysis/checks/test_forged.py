"""A published campaign that was copied and altered, with right seals, is refused for what the copy still shows."""

import copy
import json
from datetime import UTC, datetime, timedelta

import pytest
from checked import findings, write

from analysis.checks import contribution

PUBLISHED = "intel-xeon-processor-2-cores", "20261125-174740"
EPOCHS = "amd-epyc-2-cores", "20261122-014619"


def published(machine, name):
    text = (contribution.RESULTS / machine / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def moved(lines, seconds):
    """Return the lines as if they were measured later, under the name of that time, and that name."""
    later = copy.deepcopy(lines)
    name = shifted(later[0]["started"], seconds).replace("-", "").replace(":", "").replace("T", "-").rstrip("Z")
    for line in later:
        line["campaign"] = name
        line.update({field: shifted(line[field], seconds) for field in ("started", "ended") if field in line})
    return later, name


def shifted(text, seconds):
    form = "%Y-%m-%dT%H:%M:%SZ"
    return (datetime.strptime(text, form).replace(tzinfo=UTC) + timedelta(seconds=seconds)).strftime(form)


def each_run(lines, alter):
    for line in lines:
        if line["kind"] in ("run", "epochs") and line["status"] == "ok":
            alter(line)


def scaled(run):
    """A tenth faster in all that is timed."""
    for field in ("block_s", "block_cpu_s", "epoch_s", "evaluation_s", "warm_up_s"):
        if run.get(field):
            run[field] = [0.9 * value for value in run[field]]
    for field in ("import_s", "build_s", "duration_s"):
        run[field] *= 0.91


def some_kept(run):
    """Half of the blocks, each other one its own, and shuffled."""
    run["block_s"] = [value * (1 if i % 2 else 1.01 + i / 1000) for i, value in enumerate(run["block_s"])][::-1]
    run["block_cpu_s"] = [value * (1.02 + i / 999) for i, value in enumerate(run["block_cpu_s"])]
    run["warm_up_s"] = []
    for field in ("import_s", "build_s", "duration_s"):
        run[field] *= 1.037


def losses_kept(run):
    """Every time its own, and the seed of another round."""
    some_kept(run)
    run["block_s"] = [value * (1 + i * i / 1000) for i, value in enumerate(run["block_s"])]
    run["seed"] += 100


ALTERED = {
    "times are scaled": (scaled, "the same multiple or sum with a constant of results/"),
    "some times are kept": (some_kept, "times of its own, got some of results/"),
    "losses are kept": (losses_kept, "losses of its own seed, got those of another seed of results/"),
    "all is kept": (dict, "got those of results/"),
}


def errors_of(folder, lines, name, machine="another", others=()):
    paths = [write(folder, each, each[0]["machine"]["name"], each[0]["campaign"]) for each in others]
    lines = copy.deepcopy(lines)
    lines[0]["machine"]["name"] = machine
    new = write(folder, lines, machine, name)
    assert new not in paths
    return findings(folder, [new], without=("proofs", "twins"))


@pytest.mark.parametrize("what", ALTERED)
def test_a_campaign_that_is_a_copy_of_a_published_one_is_refused(what, tmp_path):
    alter, words = ALTERED[what]
    original = published(*PUBLISHED)
    later, name = moved(original, 86400)
    each_run(later, alter)
    found = [each for each in errors_of(tmp_path, later, name, others=[original]) if each.is_error]
    assert any(words in each.problem for each in found), found
    assert all("take the copy out" in each.advice or "measure it on the machine" in each.advice for each in found)


def test_epochs_that_have_another_seed_cannot_have_the_same_losses(tmp_path):
    original = published(*EPOCHS)
    later, name = moved(original, 86400)

    def alter(run):
        run["seed"] += 100
        run["epoch_s"] = [value * (1.01 + i / 100) for i, value in enumerate(run.get("epoch_s") or [])]
        run["evaluation_s"] = [value * (1.02 + i / 100) for i, value in enumerate(run.get("evaluation_s") or [])]
        for field in ("import_s", "build_s", "duration_s", "first_step_s"):
            run[field] = run[field] and run[field] * 1.013

    each_run(later, alter)
    found = [each for each in errors_of(tmp_path, later, name, others=[original]) if each.is_error]
    assert any("got those of another seed" in each.problem for each in found), found


def test_a_file_that_is_called_after_another_time_is_refused(tmp_path):
    lines = published(*PUBLISHED)
    name = "20261126-174740"
    for line in lines:
        line["campaign"] = name
    found = errors_of(tmp_path, lines, name)
    assert any("expected the time in the file's name, 20261126-174740" in each.problem for each in found), found


@pytest.mark.parametrize(("change", "words"), [
    ({"started": "2026-11-25T12:00:00Z"}, "expected a time within the campaign"),
    ({"started": "2026-11-25T17:48:00Z"}, "expected a time after that of the run before"),
    ({"duration_s": 500.0}, "to the campaign's end, got 500"),
])  # fmt: skip
def test_a_run_that_does_not_fit_into_its_campaign_is_refused(change, words, tmp_path):
    lines = published(*PUBLISHED)
    [line for line in lines if line["kind"] == "run" and line["status"] == "ok"][-1].update(change)
    found = errors_of(tmp_path, lines, PUBLISHED[1])
    assert any(words in each.problem and each.is_error for each in found), found


@pytest.mark.parametrize(
    ("nodes", "is_noted"), [((None, None), True), ((1, None), True), ((1, 1), True), ((1, 2), False)]
)
def test_two_campaigns_of_one_machine_at_the_same_time_are_a_note_except_on_two_nodes(nodes, is_noted, tmp_path):
    original = published(*PUBLISHED)
    later, name = moved(original, 120)
    for lines, number in zip((original, later), nodes, strict=True):
        lines[0] |= {"node": number} if number else {}
    found = errors_of(tmp_path, later, name, machine=PUBLISHED[0], others=[original])
    notes = [each for each in found if "one campaign at a time" in each.problem]
    assert [(note.is_error, PUBLISHED[1] in note.problem) for note in notes] == [(False, True)] * is_noted


def test_a_published_campaign_is_no_copy_of_itself_and_fits_its_clock(tmp_path):
    found = errors_of(tmp_path, published(*PUBLISHED), PUBLISHED[1], machine=PUBLISHED[0])
    assert [each for each in found if each.is_error] == []
