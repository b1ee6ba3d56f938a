"""One table decides a claim, the page prints it, and no advice rests on an inconclusive comparison."""

import re
from pathlib import Path

import campaign
import pytest
from claims import CASES, RED_OVER_BLUE, claim, judged, results

from analysis import lessons, literature
from analysis.estimate.estimates import estimate_all
from analysis.figures import lessons as figure
from analysis.lessons import claim_test, verdicts, wording
from analysis.lessons.claim_test import EQUAL, HELD, LOST, OPEN
from analysis.lessons.verdicts import Counts
from analysis.load.table import read_results
from analysis.site.pages import article
from analysis.stats import interval
from analysis.text import frameworks
from bench import registry

RESULTS = Path(registry.ROOT, "results")


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        ((3, 0, 0, 0), "true"), ((1, 0, 0, 0), "true"),
        ((2, 0, 1, 0), "partly true"), ((1, 0, 0, 12), "partly true"), ((3, 2, 0, 0), "partly true"),
        ((0, 3, 0, 0), "false"), ((0, 3, 1, 1), "false"), ((0, 2, 0, 2), "false"),
        ((0, 1, 0, 8), "inconclusive"), ((0, 3, 0, 6), "inconclusive"), ((0, 2, 2, 0), "inconclusive"),
        ((2, 9, 1, 0), "mostly false"), ((1, 2, 0, 3), "mostly false"), ((18, 44, 0, 214), "inconclusive"),
        ((0, 0, 3, 0), "no effect beyond 5 %"), ((0, 1, 3, 0), "no effect beyond 5 %"),
        ((1, 1, 3, 0), "no effect beyond 5 %"), ((0, 0, 2, 2), "inconclusive"),
        ((1, 1, 0, 0), "inconclusive"), ((40, 40, 0, 3), "inconclusive"), ((0, 0, 0, 0), "not measured"),
    ],
)  # fmt: skip
def test_counts_decide(counts, verdict):
    assert verdicts.decide(Counts(*counts)) == verdict
    assert verdicts.decide(Counts(*counts, lacks_gpu=True)) == "not tested on a GPU"


def test_every_verdict_has_a_rule_and_a_sign():
    assert {rule.verdict for rule in verdicts.RULES} == {*verdicts.VERDICTS} == {*article.WORDS["sign"]}
    assert {*figure.COLORS} == {*figure.MARKERS} == {name for name, _ in verdicts.COMPARISONS}


@pytest.mark.parametrize(("expected", "verdict"), [("> 1", EQUAL), ("< 1", EQUAL), ("~ 1.2", HELD), ("> 1.5", LOST)])
def test_a_clear_ratio_within_five_percent_confirms_no_direction_and_decides_a_number(tmp_path, expected, verdict):
    found = results(tmp_path, campaign.noisy({"red": 0.0103, "blue": 0.01}, noise=0.002), CASES[:2], rounds=8)
    (one,) = judged(found, RED_OVER_BLUE._replace(expected=expected)).effects
    assert interval.FASTER < one.ratio.low < one.ratio.high < claim_test.ALIKE
    assert one.verdict == verdict


def test_the_comparisons_of_one_lesson_on_one_machine_are_one_family(tmp_path, monkeypatch):
    for machine in ("one", "other"):
        times = campaign.noisy({"red": 0.02, "blue": 0.01, "green": 0.01}, noise=0.01)
        campaign.write(tmp_path, campaign.lines(CASES, times, rounds=8, machine=machine))
    found, families, adjust = read_results(tmp_path), [], interval.holm
    monkeypatch.setattr(interval, "holm", lambda p_values: families.append(len(p_values)) or adjust(p_values))
    answers = estimate_all(found)
    families.clear()  # those of estimates
    lessons.judge_claims(
        [RED_OVER_BLUE, claim("environment=red / environment=blue|green", id="another")], found, answers
    )
    assert families == [1, 1, 2, 2]


COMMITTED = [each for each in literature.claims() if not each.needs]


@pytest.fixture(scope="module")
def committed():
    """The lessons of the committed results."""
    found = read_results(RESULTS)
    return lessons.judge_all(found, estimate_all(found))


def test_no_advice_on_the_committed_results_lacks_a_significant_comparison(committed):
    assert len(committed) == len(literature.claims())
    assert sum(bool(lesson.advice) for lesson in committed) > 10, "advice is given at all"
    for lesson in committed:
        for part in _parts(lesson):
            behind = [each for text, verdict in ((lesson.about.if_so, HELD), (lesson.about.if_not, LOST))
                      if part.endswith(text[1:]) for each in lesson.effects_of(verdict)]  # fmt: skip
            assert behind, f"{lesson.about.id}: no comparison supports {part!r}"
            assert wording.scope(behind)[1:] in part
            expected = claim_test.expected(lesson.about.expected)
            for each in behind:
                low, high = each.ratio.bounds
                assert not any(low <= edge <= high for edge in expected.edges), lesson.about.id
                assert each.p(expected) <= 1 - interval.CONFIDENCE, lesson.about.id


def _parts(lesson):
    return re.split(r" (?=Where it is false, in )", lesson.advice) if lesson.advice else []


def test_a_verdict_on_the_committed_results_says_no_more_than_its_comparisons(committed):
    for lesson in committed:
        found = [each.verdict for each in lesson.effects]
        if lesson.about.id == "no-overall-winner":
            continue  # it counts backends
        if lesson.verdict == "true":
            assert set(found) == {HELD}, lesson.about.id
        if lesson.verdict in ("false", "mostly false"):
            assert found.count(LOST) > max(found.count(HELD), found.count(EQUAL)), lesson.about.id
            assert 2 * found.count(OPEN) <= len(found), lesson.about.id
        if lesson.about.device == "gpu" and lesson.verdict != "not tested on a GPU":
            assert {each.question.device for each in lesson.effects} == {"gpu"}


def test_a_lesson_without_a_supporting_comparison_gives_no_advice(committed):
    for lesson in committed:
        unclear = [each._replace(verdict=OPEN) for each in lesson.effects]
        assert {lesson._replace(effects=unclear, verdict=verdict).advice for verdict in verdicts.VERDICTS} == {""}


def test_the_slow_recurrent_layer_of_keras_on_pytorch_has_a_lesson_with_its_cause(committed):
    lesson = next(each for each in committed if each.about.id == "keras-on-torch-recurrent")
    assert lesson.verdict in ("true", "partly true")
    assert registry.environments()["keras-torch"].differs["recurrent_layers"] in lesson.claim


@pytest.mark.parametrize("about", COMMITTED, ids=lambda about: about.id)
def test_a_number_in_a_claim_is_the_number_that_it_is_judged_at(about):
    """A percentage or a multiple: as 1.8 of 80 %."""
    edge = claim_test.expected(about.expected).edge
    percents = [1 + float(each) / 100 for each in re.findall(r"(\d+(?:\.\d+)?) %", about.claim)]
    times = [float(each) for each in re.findall(r"(\d+(?:\.\d+)?)(?: to \d+)? times", about.claim)]
    assert all(edge == pytest.approx(number) for number in percents + times), about.claim


@pytest.mark.parametrize("about", literature.claims(), ids=lambda about: about.id)
def test_a_claim_that_speaks_of_a_gpu_is_decided_by_none_but_a_gpu(about):
    speaks = re.search(r"\bGPU\b|cuDNN", about.claim) is not None and "GPUs" not in about.claim
    assert about.device == ("gpu" if speaks and "generation of the GPU" not in about.claim else "")
    assert "device=gpu" not in about.where
    assert about.cause in ("", *frameworks.EXPLAINING)


GAINS = {("linear", "eager"): 0.02, ("linear", "compiled"): 0.04,  # compiling doubles the simplest network's step
         ("bn_mlp", "eager"): 0.02, ("bn_mlp", "compiled"): 0.01,
         ("lstm_forecast", "eager"): 0.04, ("lstm_forecast", "compiled"): 0.01}  # fmt: skip


def test_a_network_that_compiling_makes_slower_has_no_gain_to_compare(tmp_path):
    cases = [campaign.case("red", mode, workload=workload) for workload, mode in GAINS]
    noise = campaign.noisy({"red": 1.0}, noise=0.002)
    found = results(tmp_path, lambda about, n: noise(about, n) * GAINS[about["workload"], about["mode"]], cases, 8)
    where = "workload=linear|bn_mlp|lstm_forecast"
    lesson = judged(found, claim("compiles=no / compiles=yes", id="gap-grows-with-complexity", where=where))
    assert [each.ratio.value for each in lesson.effects] == [pytest.approx(2.0, rel=0.02)]
    assert lesson.effects[0].sides[0].startswith("gain of compiled over eager at ")


def test_scope_names_each_precision_with_its_device(tmp_path):
    found = results(tmp_path, campaign.noisy({"red": 0.02, "blue": 0.01}, noise=0.002), CASES[:2], rounds=8)
    (one,) = judged(found, RED_OVER_BLUE).effects
    other = one._replace(question=one.question._replace(device="gpu"))
    half = other._replace(question=other.question._replace(precision="bf16"))
    assert (wording.scope([one]), wording.scope([one, other])) == ("in fp32 on a CPU", "in fp32 on a CPU and a GPU")
    assert wording.scope([one, half]) == "in fp32 on a CPU and in bf16 on a GPU"
    assert wording.advice("", [half], "PyTorch goes.") == "In bf16 on a GPU: PyTorch goes."


def test_causes_of_a_workload_are_those_that_the_files_of_its_frameworks_state():
    (recurrent,) = frameworks.causes("imdb_gru", ["keras-torch", "pytorch"])
    assert recurrent.startswith("Recurrent layers can explain differences. Keras 3")
    for name in ("keras-torch", "pytorch"):
        assert registry.environments()[name].differs["recurrent_layers"] in recurrent
    assert frameworks.causes("resnet50", ["keras-torch", "pytorch"]) == []
    assert frameworks.causes("no-such-workload", ["pytorch"]) == []
    assert [each.split(".")[0] for each in frameworks.causes("bn_mlp", ["tensorflow"])] == [
        "Dropout can explain differences"
    ]
