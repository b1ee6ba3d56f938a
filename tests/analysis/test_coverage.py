"""Coverage: a place for everything that can be asked, with its rounds and age, or the reason why it has no time."""

import html

import campaign
import pytest
from shown import changed, found, text_of

from analysis import releases
from analysis.compare import coverage
from analysis.site.pages import checked, workload
from bench import proof, registry

ENVIRONMENT = next(iter(registry.environments().values()))
DEFAULT, *OTHERS = [mode.name for mode in ENVIRONMENT.modes]
OLD, NEW = "2026-11-02 0900", "2026-11-20 0900"
MACHINE = "test-machine"
LOADED = {ENVIRONMENT.name: "1.0.0"}  # as synthetic campaigns have it


def case(**changes):
    return campaign.case(ENVIRONMENT.name, DEFAULT, **changes)


def lines(cases, times, name=NEW, **about):
    made = campaign.lines(cases, times, campaign=name, **about)
    for line in made:
        if line["kind"] == "environment" and line["environment"] == ENVIRONMENT.name:
            line.update(title=ENVIRONMENT.title, default_mode=DEFAULT, modes=dict.fromkeys([DEFAULT, *OTHERS], False))
        if line["kind"] == "run" and line["status"] == "ok":
            workload = line["case"]["workload"]
            line["code"] = coverage.shown_code(ENVIRONMENT, workload) or line["code"]
            if registry.has_workload(workload):
                line["proof"] = proof.proof_hash(workload, ENVIRONMENT, LOADED)
    return made


def once(name=NEW, **about):
    """Return a campaign that measured one case."""
    return lines([case()], campaign.always(0.01), name, **about)


def places(made, machine=MACHINE):
    return {(each.workload, each.task, each.row): each
            for each in coverage.places(made.results, made.answers, machine)}  # fmt: skip


def place(made, **changes):
    about = case(**changes)
    return places(made)[about["workload"], about["task"], (ENVIRONMENT.name, DEFAULT)]


def words_of(made):
    return text_of(checked.coverage_page(made))


def test_everything_that_can_be_asked_has_a_place(tmp_path):
    made = places(found(tmp_path, once()))
    assert {workload for workload, _, _ in made} == set(registry.workload_names())
    assert {row for _, _, row in made} == {
        (name, mode.name)
        for name, each in registry.environments().items()
        if each.is_default or each is ENVIRONMENT
        for mode in each.modes
    }


def test_a_further_version_has_places_on_the_machine_where_it_was_measured(tmp_path):
    name = next(each for each in registry.environments() if each not in registry.usual())
    (mode, *_) = registry.environment(name).modes
    made = places(found(tmp_path, lines([campaign.case(name, mode.name)], campaign.always(0.01))))
    workloads = {workload for workload, _, row in made if row == (name, mode.name)}
    assert workloads == set(registry.workload_names()), "what was not asked there is missed, too"


def test_a_further_framework_of_today_has_a_place_only_where_it_was_asked(tmp_path):
    name = next(each for each in sorted(releases.of_recent_years()) if not registry.environment(each).is_default)
    (mode, *_) = registry.environment(name).modes
    made = places(found(tmp_path, lines([campaign.case(name, mode.name)], campaign.always(0.01))))
    assert [workload for workload, _, row in made if row == (name, mode.name)] == ["mnist_mlp"]


def test_each_task_has_the_first_mode_that_can_do_it_as_its_default(tmp_path):
    for (_, task, (name, mode)), each in places(found(tmp_path, once())).items():
        assert each.is_default == (mode == registry.modes(registry.environment(name), task)[0].name)


def test_a_measured_place_has_its_rounds_and_its_day(tmp_path):
    (answer,) = place(found(tmp_path, once(rounds=4))).measured
    assert (answer.cell.rounds, answer.day, answer.stale) == (4, "2026-11-20", [])


def test_what_nobody_asked_is_never_measured_and_what_has_no_model_file_is_unsupported(tmp_path):
    made = places(found(tmp_path, once()))
    known = registry.environments()
    for (network, _, row), each in made.items():
        if not each.answers:
            assert (each.reason == coverage.UNSUPPORTED) == (coverage.shown_code(known[row[0]], network) is None)
            assert each.reason in (coverage.UNSUPPORTED, coverage.NEVER)


@pytest.mark.parametrize("status", ["out_of_memory", "over_budget", "unproven", "timeout", "absent"])
def test_what_was_asked_in_vain_has_the_reason_of_its_record(tmp_path, status):
    each = place(found(tmp_path, lines([case()], campaign.always(status))))
    assert each.reason == status.replace("_", " ")
    assert not each.measured


EDITED = {
    coverage.OTHER_CODE: ("run", {"code": "0" * 16}),
    coverage.OTHER_PROOF: ("run", {"proof": "0" * 16}),
    coverage.OTHER_VERSION: ("environment", {"title": "Of Before 0.1"}),
}


@pytest.mark.parametrize("what", EDITED)
def test_a_file_an_adapter_or_a_title_edited_since_makes_a_time_stale(tmp_path, what):
    kind, fields = EDITED[what]
    assert place(found(tmp_path, changed(once(), kind, **fields))).measured[0].stale == [what]


def test_what_stands_behind_a_file_and_was_edited_is_told_beside_the_code(tmp_path):
    (note,) = workload.changed(found(tmp_path, changed(once(), "run", proof="0" * 16)), "mnist_mlp")
    assert "the adapter of 1 environment" in html.unescape(note)
    assert workload.changed(found(tmp_path / "as it is", once()), "mnist_mlp") == []


def test_other_versions_are_no_change_of_the_adapter(tmp_path):
    loaded = {ENVIRONMENT.name: "0.9"}
    proven = changed(once(), "run", proof=proof.proof_hash("mnist_mlp", ENVIRONMENT, loaded))
    assert place(found(tmp_path, changed(proven, "environment", loaded=loaded))).measured[0].stale == []


def test_a_place_with_one_time_among_several_questions_counts_and_says_so(tmp_path):
    cases = [case(), case(batch_size=256)]
    times = lambda about, _: 0.01 if about["batch_size"] == 128 else "timeout"  # noqa: E731
    made = found(tmp_path, lines(cases, times))
    assert place(made).reason is None
    assert len(place(made).answers) == 2


def test_each_machine_has_its_cells_workloads_rounds_and_oldest_day_gpus_first(tmp_path):
    gpu = once(machine="z-gpu")
    gpu[0]["machine"].update(gpu="NVIDIA H200", gpu_driver="580.1")
    made = found(tmp_path, once(OLD), gpu)
    default = sum(each.is_default for each in places(made).values())
    text = words_of(made)
    assert f"Test at 3 GHz, 8 CPUs 1 of {default} 1 5 2026-11-02 0" in text
    assert text.index("H200 1 of") < text.index("Test at 3 GHz")


@pytest.mark.parametrize(("asked", "time"), [(case(), "failed"), (campaign.case("red"), 0.01)])
def test_a_campaign_that_failed_to_measure_it_again_or_left_it_out_takes_no_time_off(tmp_path, asked, time):
    made = found(tmp_path, once(OLD), lines([asked], campaign.always(time)))
    assert place(made).reason is None
    assert place(made).answers[-1].day == "2026-11-02"
    assert " 1 5 2026-11-02 " in words_of(made)


def test_each_reason_has_its_number_of_cells_and_its_meaning(tmp_path):
    cases = [case(), case(workload="linear", optimizer="adam")]
    times = lambda about, _: 0.01 if about["workload"] == "mnist_mlp" else "out_of_memory"  # noqa: E731
    made = found(tmp_path, lines(cases, times))
    default = [each for each in places(made).values() if each.is_default]
    text = words_of(made)
    never = sum(each.reason == coverage.NEVER for each in default)
    assert f"never measured Test at 3 GHz, 8 CPUs {never} no published campaign asked for it" in text
    assert "out of memory Test at 3 GHz, 8 CPUs 1" in text


def test_a_label_of_what_changed_has_its_number_of_cells(tmp_path):
    assert "other code 1 the model file changed" in words_of(found(tmp_path, changed(once(), "run", code="0" * 16)))


def test_every_reason_stands_in_the_table_with_what_it_said(tmp_path):
    text = words_of(found(tmp_path, lines([case()], campaign.always("failed"))))
    assert f"{ENVIRONMENT.title}, mnist_mlp: failed: it was planted" in text


def test_what_this_repository_does_not_know_keeps_a_place(tmp_path):
    made = places(found(tmp_path, lines([campaign.case("red", workload="unknown")], campaign.always(0.01))))
    assert len(made["unknown", "train", ("red", "eager")].measured) == 1
