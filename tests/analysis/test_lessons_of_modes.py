"""Claims about modes, ablations, batches and networks are judged by what differs in that alone."""

import re

import campaign
import pytest
from claims import (
    CASES,
    COMPILING,
    NAMES,
    RED_OVER_BLUE,
    by_mode,
    claim,
    in_both_modes,
    judged,
    results,
    with_first_steps,
)

from analysis import lessons, literature
from analysis.articles import ARTICLES
from analysis.estimate import contrasts
from analysis.estimate.estimates import estimate_all
from analysis.figures import lessons as figure
from analysis.found import Found
from analysis.lessons import claim_test, judge_all
from analysis.lessons.verdicts import NOT_MEASURED, NOT_TESTED, VERDICTS
from analysis.load.table import read_results
from bench import registry


def test_compiling_pays_where_it_is_faster_and_does_not_where_it_is_not(tmp_path):
    assert judged(results(tmp_path / "one", by_mode(0.02, 0.01), in_both_modes()), COMPILING).verdict == "true"
    lesson = judged(results(tmp_path / "other", by_mode(0.01, 0.02), in_both_modes()), COMPILING)
    assert (lesson.verdict, set(lesson.evidence["verdict"])) == ("false", {"false"})


ONE_HOT = claim("variant=one_hot / variant=none", where="task=train")


def changed_and_not(modes=("eager", "eager+one_hot")):
    return [campaign.case(name, mode, tier="ablation") for name in NAMES[:2] for mode in modes]


def slower_if_changed(factor):
    noise = campaign.noisy(dict.fromkeys(NAMES, 0.01), noise=0.002)
    return lambda about, number: noise(about, number) * (factor if "+" in about["mode"] else 1.0)


@pytest.mark.parametrize(("factor", "verdict"), [(1.3, "true"), (0.7, "false"), (1.0, "no effect beyond 5 %")])
def test_an_ablation_is_judged_by_what_it_changes_of_each_mode(tmp_path, factor, verdict):
    lesson = judged(results(tmp_path, slower_if_changed(factor), changed_and_not(), rounds=8), ONE_HOT)
    assert (lesson.verdict, len(lesson.evidence)) == (verdict, 2)
    assert set(lesson.evidence["time of / over that of"]) == {
        "Red 1.0: Labels one-hot / as documented", "Blue 1.0: Labels one-hot / as documented",
    }  # fmt: skip


def test_a_mode_is_held_against_no_ablation_of_another(tmp_path):
    cases = changed_and_not(("compiled", "eager+one_hot"))
    assert judged(results(tmp_path, slower_if_changed(1.3), cases), ONE_HOT).verdict == "not measured"


def test_what_an_ablation_measured_stands_beside_nothing_else(tmp_path):
    usual = {"red": 0.02, "blue": 0.01, "green": 0.01}
    times = lambda about, number: usual[about["environment"]] * (1 + 0.001 * (number % 4))  # noqa: E731
    alone = results(tmp_path / "alone", times, CASES)
    beside = results(tmp_path / "beside", times, [*CASES, *changed_and_not()])
    assert estimate_all(beside) == estimate_all(alone)
    assert judged(beside, RED_OVER_BLUE).effects == judged(alone, RED_OVER_BLUE).effects
    assert [each.verdict for each in lessons.of_ablations(alone)] == []
    told = lessons.of_ablations(beside)
    assert told, "what was measured is judged"
    assert all(each.effects for each in told), "and nothing is said of what was not"


def test_modes_of_different_environments_are_no_contrast(tmp_path):
    cases = [campaign.case("red", "eager"), campaign.case("blue", "compiled")]
    assert judged(results(tmp_path, by_mode(0.02, 0.01), cases), COMPILING).verdict == "not measured"


def test_where_nothing_was_compiled_is_no_evidence_and_said_to_be_left_out(tmp_path):
    lines = campaign.lines(in_both_modes(), by_mode(0.02, 0.01), rounds=6)
    for line in lines:
        if line["kind"] == "run" and (line["case"]["environment"], line["case"]["mode"]) == ("red", "compiled"):
            line["compiled"] = "nothing"
    lesson = judged(read_results(campaign.write(tmp_path, lines)), COMPILING)
    assert lesson.claim.endswith("Left out, as nothing was compiled there: Red 1.0 (compiled) on 1 workload.")
    assert len(lesson.evidence) == 2


def test_a_mode_that_compiled_nothing_stands_for_none_without_a_compiler(tmp_path):
    lines = campaign.lines(
        [campaign.case("red", mode) for mode in ("eager", "compiled", "other")],
        lambda about, _: {"eager": 0.02, "compiled": 0.01, "other": 0.02}[about["mode"]],
    )
    for line in lines:
        if line["kind"] == "environment":
            line["modes"] = {**campaign.MODES, "other": True}
        elif line["kind"] == "run" and line["case"]["mode"] == "other":
            line["compiled"] = "nothing"
    lesson = judged(read_results(campaign.write(tmp_path, lines)), COMPILING)
    assert list(lesson.evidence["time of / over that of"]) == ["Red 1.0: eager / compiled"]


def test_a_step_of_the_own_loop_is_never_held_against_one_by_hand(tmp_path, monkeypatch):
    own_loops = {"fit": True, "fit_eager": True, "loop": False, "loop_eager": False}
    compiles = {mode: not mode.endswith("_eager") for mode in own_loops}
    monkeypatch.setattr(contrasts, "own_loops", lambda _: own_loops)
    lines = campaign.lines([campaign.case("red", mode) for mode in own_loops], campaign.noisy({"red": 0.01}))
    lines = [{**line, "modes": compiles} if line["kind"] == "environment" else line for line in lines]
    lesson = judged(read_results(campaign.write(tmp_path, lines)), COMPILING)
    assert set(lesson.evidence["time of / over that of"]) == {"Red 1.0: fit_eager / fit", "Red 1.0: loop_eager / loop"}


def test_memory_is_compared_as_time_is(tmp_path):
    lines = campaign.lines(CASES[:2], campaign.noisy({"red": 0.01, "blue": 0.01}))
    for line in lines:
        if line["kind"] == "run":
            line["peak_host_memory_bytes"] = {"red": 3, "blue": 1}[line["case"]["environment"]] * 2**28
    found = read_results(campaign.write(tmp_path, lines))
    lesson = judged(found, claim("environment=red measure=memory / environment=blue measure=memory"))
    assert (lesson.verdict, list(lesson.evidence["ratio"])) == ("true", ["3.00"])


def test_a_figure_has_a_mark_for_each_comparison_of_an_articles_claims_that_have_one(tmp_path):
    found = results(tmp_path, campaign.noisy({"red": 0.02, "blue": 0.01, "green": 0.04}, noise=0.002), CASES, 8)
    source = ARTICLES["cnn_zoo"].source
    more = {"id": "another", "claim": "Another", "source": source}
    made = judged(
        found, RED_OVER_BLUE._replace(source=source), claim("environment=blue|green / environment=red", **more),
        claim("", "", needs="four GPUs", source=source, id="third"),
        RED_OVER_BLUE._replace(source="another article", id="fourth"),
    )  # fmt: skip
    wanted = figure.wanted(Found(found, [], [], made))
    assert set(wanted) == {"articles/cnn_zoo"}
    drawn = figure.draw(*wanted["articles/cnn_zoo"])
    assert list(drawn.data["verdict"]) == ["true", "false", "true"]
    assert set(drawn.data["claim"]) == {"A claim", "Another"}
    assert drawn.alt.startswith("Ratios of 3 comparisons of 2 claims, one row per claim.")


def test_other_claims_do_not_raise_the_bar_of_a_claim(tmp_path):
    found = results(tmp_path, campaign.noisy({"red": 0.0115, "blue": 0.01}, noise=0.06, seed=1), CASES[:2], rounds=8)
    (alone,) = judged(found, RED_OVER_BLUE).effects
    p = alone.p(claim_test.expected("> 1"))
    assert alone.verdict == "true"
    assert 300 * p > 0.01, "it was not clear in one family with all of them"
    many = judged(found, *[RED_OVER_BLUE._replace(id=str(place)) for place in range(300)])
    assert {lesson.verdict for lesson in many} == {"true"}


BACKENDS = claim("environment=red|blue|green / environment=red|blue|green", id="no-overall-winner")


def test_no_backend_is_the_fastest_everywhere_until_one_is(tmp_path):
    cases = [dict(case, workload=name) for name in ("mnist_mlp", "linear") for case in CASES]
    by_turns = {"mnist_mlp": (0.01, 0.02, 0.04), "linear": (0.04, 0.02, 0.01)}
    always = {"mnist_mlp": (0.01, 0.02, 0.04), "linear": (0.01, 0.04, 0.02)}
    for folder, times, expected in (("one", by_turns, "true"), ("other", always, "false")):
        seconds = {(name, row): own[place] for name, own in times.items() for place, row in enumerate(NAMES)}
        found = results(
            tmp_path / folder, lambda about, _, own=seconds: own[about["workload"], about["environment"]], cases
        )
        assert judged(found, BACKENDS).verdict == expected
    assert "never: Red 1.0" in judged(found, BACKENDS).claim


def test_each_network_is_held_against_each_that_has_fewer_parameters(tmp_path):
    names = ("vgg16", "vgg19", "resnet50")
    larger = claim("", id="parameters-predict-time", where=f"workload={'|'.join(names)}")
    cases = [dict(CASES[0], workload=name, batch_size=4, optimizer="sgd") for name in names]
    times = dict(zip(names, (0.02, 0.03, 0.01), strict=True))
    lesson = judged(results(tmp_path, lambda about, _: times[about["workload"]], cases), larger)
    assert (lesson.verdict, len(lesson.evidence)) == ("true", 3)


@pytest.mark.parametrize("about", literature.claims(), ids=lambda about: about.id)
def test_every_claim_can_be_read_and_says_what_it_needs_where_nothing_judges_it(about):
    known = {"environment": registry.environments(), "workload": registry.workload_names()}
    sides = [claim_test.read(text) for text in (*re.split("[/;]", about.contrast), about.where)]
    assert [value for side in sides for name in known for value in side.get(name, ()) if value not in known[name]] == []
    has_file = any(getattr(module, "CLAIM", None) == about.id for module in lessons.found().values())
    assert bool(about.contrast or has_file) != bool(about.needs)
    assert bool(about.needs) or claim_test.expected(about.expected)
    assert bool(about.needs) != bool(about.if_so and about.if_not)
    assert all(name in claim_test.MEASURES for side in sides for name in side.get("measure", ()))


@pytest.mark.parametrize("text", ["1", "> one", "= 1", ""])
def test_what_is_expected_is_a_sign_and_a_number(text):
    with pytest.raises(ValueError, match="expected a sign"):
        claim_test.expected(text)


def test_a_word_that_names_no_coordinate_is_refused():
    with pytest.raises(ValueError, match="'framework'"):
        claim_test.read("framework=red")


@pytest.mark.parametrize(("cold", "warm", "expected"), [(2.0, 1.0, "true"), (0.5, 0.5, "false"), (0.5, 2.0, "false")])
def test_a_first_step_is_dearer_by_those_with_empty_caches_alone(tmp_path, cold, warm, expected):
    about = claim("measure=first_step compiles=yes / measure=first_step compiles=no")
    lesson = judged(with_first_steps(tmp_path, cold, warm), about)
    assert (lesson.verdict, set(lesson.evidence["rounds"])) == (expected, {"3"})


def at_batch(small_spread, large_spread):
    spread = {4: small_spread, 16: large_spread}
    noise = campaign.noisy(dict.fromkeys(NAMES, 0.1), noise=0.003)
    return lambda about, number: (
        noise(about, number) * (spread[about["batch_size"]] if about["environment"] == "red" else 1)
    )


def at_two_sizes():
    return [
        campaign.case(name, workload="resnet50", optimizer="sgd", batch_size=size) for name in NAMES for size in (4, 16)
    ]


FADES = claim("", id="overhead-fades", where="task=train|infer")


@pytest.mark.parametrize(("spreads", "expected"), [((2.0, 1.2), "true"), ((1.2, 2.0), "false")])
def test_overhead_fades_when_the_spread_shrinks(tmp_path, spreads, expected):
    lesson = judged(results(tmp_path, at_batch(*spreads), at_two_sizes()), FADES)
    sides = "3 environments: spread at batch size 4 / spread at batch size 16"
    assert (lesson.verdict, list(lesson.evidence["time of / over that of"])) == (expected, [sides])


def test_one_batch_size_decides_nothing(tmp_path):
    assert judged(results(tmp_path, at_batch(2.0, 1.2), at_two_sizes()[::2]), FADES).verdict == "not measured"


def test_every_lesson_is_not_measured_without_data_and_says_why(tmp_path):
    found = judge_all(read_results(tmp_path), [])
    assert len(found) == len(literature.claims())
    assert all(lesson.verdict == (NOT_TESTED if lesson.about.device else NOT_MEASURED) for lesson in found)
    assert all(lesson.reason and not lesson.advice for lesson in found)


def test_verdicts_are_of_the_table(tmp_path):
    found = results(tmp_path, by_mode(0.02, 0.01), in_both_modes())
    assert {lesson.verdict for lesson in judge_all(found, estimate_all(found))} <= set(VERDICTS)
