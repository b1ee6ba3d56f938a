"""A round that was disturbed is void: it is repeated, its lines stay, and its times count nowhere."""

import json

import pytest
from competitors import plain
from replies import BENCH, REPLY, line

from bench import files
from bench.campaign import campaign as campaigns
from bench.campaign import report, rounds, turns
from bench.profiles import PROFILES
from bench.results import records, void_rules
from bench.results.schema import content

STATE = {
    "samples": 9, "sampler_share": 0.002, "gpu": None,
    "cpu": {"utilisation": 0.9, "others_share": 0.0, "frequency_mean_mhz": None, "frequency_lowest_mhz": None,
            "load_highest": 2.0, "swap_highest_bytes": 0, "swap_growth_bytes": 0, "free_memory_lowest_bytes": 2**33},
}  # fmt: skip
FAILURE = {"status": "failed", "reason": "planted", "error_tail": None, "duration_s": 10.0}


@pytest.fixture
def disturbed(tmp_path, frameworks, monkeypatch, plan):
    """Run two cases for three rounds without a process; `others(case, round, attempt)` plants the others' share."""
    cases = plain("numpy-a", "numpy-b", frameworks=frameworks)
    bench = line(BENCH, cases=[case._asdict() for case in cases])
    profile = PROFILES["quick"]._replace(min_rounds=3, max_rounds=3)

    def make(others, lines=(), name="a.jsonl", **changes):
        path = tmp_path / "test" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(json.dumps(content(one)) + "\n" for one in lines))
        campaign = campaigns.CampaignFile(str(path), list(lines))
        if not lines:
            campaign.write(bench)

        def measure(waiting, turn, _):
            return [record(case, turn, position) for position, case in enumerate(waiting)]

        def record(case, turn, position):
            share = others(case.environment, turn.round, len(campaign.voids(case.question, turn.round)) + 1)
            if isinstance(share, BaseException):
                raise share
            state = {**STATE, "cpu": {**STATE["cpu"], "others_share": share}}
            reply = FAILURE if share is None else {**REPLY, "machine_state": state}
            cache, where = "warm" if case in turn.seen else "cold", campaigns.Where(turn.round, turn.group, position)
            return campaigns.run_record(case, reply, where, files.now(), cache, 1, "0" * 16)

        monkeypatch.setattr(turns, "measure", measure)
        rounds.run(campaign, cases, plan(**{"profile": profile, "budget_s": None, **changes}), lambda *_: None)
        assert records.read(str(path)) == campaign.lines
        return campaign

    make.folder = tmp_path / "test"
    return make


def standing(campaign):
    return sorted((run.round, run.case.environment) for run in campaign.runs())


QUESTION = "mnist_mlp/train/fp32/cpu/b128/rmsprop/documented/random"
BOTH = ("numpy-a", "numpy-b")
ALL = [(round_, name) for round_ in (1, 2, 3) for name in BOTH]


def told(campaign):
    return [(line.round, line.attempt, line.kept) for line in campaign.lines if line.kind == "void"]


def second_round_once(environment, round_, attempt):
    return 0.4 if (environment, round_, attempt) == ("numpy-b", 2, 1) else 0.0


def test_a_round_that_was_disturbed_is_repeated_and_its_times_do_not_count(disturbed):
    campaign = disturbed(second_round_once)
    (line,) = campaign.voids(QUESTION, 2)
    assert (line.attempt, line.rule, line.kept) == (1, "other_processes", None)
    assert line.case.environment == "numpy-b"
    assert standing(campaign) == ALL
    assert all(run.machine_state.cpu.others_share == 0.0 for run in campaign.runs())
    runs_made = [each for each in campaign.lines if each.kind == "run"]
    assert len(runs_made) > len(ALL)
    assert campaign.spent_s() == 10.0 * len(runs_made), "the time of void runs is spent all the same"
    assert campaign.lines[-1].rounds == 3


def test_a_quiet_campaign_has_no_void_round(disturbed):
    assert [line.kind for line in disturbed(lambda *_: 0.0).lines] == ["bench", *["run"] * 6, "end"]


def test_a_machine_that_is_always_busy_ends_with_each_round_kept_and_labelled(disturbed):
    campaign = disturbed(lambda *_: 0.4)
    assert standing(campaign) == ALL
    for round_ in (1, 2, 3):
        kept = [line.kept for line in campaign.voids(QUESTION, round_)]
        assert kept == [None] * void_rules.MOST_REPEATS + ["it was repeated 2 times already"]


def test_a_repeat_never_takes_the_budget_of_the_fewest_rounds(disturbed):
    campaign = disturbed(second_round_once, budget_s=65.0)  # 60 s for three rounds
    assert standing(campaign) == ALL
    assert [line.kept for line in campaign.voids(QUESTION, 2)] == ["the budget is too small to repeat it"]


def test_what_failed_in_a_void_round_keeps_its_reason_and_is_not_tried_again(disturbed):
    campaign = disturbed(lambda name, _, attempt: None if name == "numpy-a" else 0.4 if attempt == 1 else 0.0)
    failures = [run for run in campaign.runs() if run.status == "failed"]
    assert [(run.case.environment, run.round) for run in failures] == [("numpy-a", 1)]
    assert standing(campaign) == [(1, "numpy-a"), *[(round_, "numpy-b") for round_ in (1, 2, 3)]]


def test_a_repeated_first_round_has_cold_caches_again(disturbed):
    campaign = disturbed(lambda _, round_, attempt: 0.4 if round_ == attempt == 1 else 0.0)
    assert [run.cache for run in campaign.runs()] == ["cold"] * 2 + ["warm"] * 4


def test_a_bench_killed_after_any_line_goes_on_to_the_same_rounds(disturbed):
    def others(environment, round_, attempt):
        return 0.4 if round_ == 3 or (environment, round_, attempt) == ("numpy-b", 2, 1) else 0.0

    whole = disturbed(others)
    assert len(told(whole)) == 4
    for length in range(1, len(whole.lines)):
        again = disturbed(others, whole.lines[:length], f"{length}.jsonl")
        assert (standing(again), told(again)) == (ALL, told(whole))
        assert len(again.lines) <= len(whole.lines)  # the half of a round that was written may void it already


def test_an_interrupt_in_a_repeated_round_loses_nothing(disturbed):
    def interrupted(environment, round_, attempt):
        is_second = (round_, attempt) == (2, 2) and len(seen) == 1
        seen.extend([environment] * ((round_, attempt) == (2, 2)))
        return KeyboardInterrupt() if is_second else second_round_once(environment, round_, attempt)

    seen = []
    with pytest.raises(KeyboardInterrupt):
        disturbed(interrupted)
    (path,) = disturbed.folder.glob("*.jsonl")
    before = records.read(str(path))
    assert before[-1].kind == "void"  # of what was alive, nothing is known
    campaign = disturbed(second_round_once, before, "b.jsonl")
    assert (campaign.lines[: len(before)], standing(campaign)) == (before, ALL)


def test_the_plain_table_counts_void_rounds_and_leaves_their_times_out(disturbed):
    text = report.table(disturbed(second_round_once).lines)
    assert text.endswith("void rounds: 1 repeated (other processes)")
    assert [line.split()[-1] for line in text.splitlines() if " numpy-" in line] == ["3", "3"]
