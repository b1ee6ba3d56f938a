"""The Rosetta pages: a statement beside every answer to it, and the differences that matter to it."""

import re
from pathlib import Path

import pytest
import shown

from analysis.site.pages import code, rosetta, workload
from analysis.text.frameworks import GATES, OPTIMIZERS, matters, stated
from bench import registry
from bench.errors import DefinitionError


@pytest.fixture(scope="module")
def nothing(tmp_path_factory):
    """What pages are made of where nothing was measured."""
    return shown.found(tmp_path_factory.mktemp("results"))


@pytest.mark.parametrize("name", registry.workload_names())
def test_a_page_holds_the_statement_and_every_answer(nothing, name):
    page = rosetta.workload_page(nothing, name)
    included = re.findall(r'--8<-- "(.+?)"', page)
    answering = {
        f"bench/frameworks/{each.framework}/{name}.py"
        for each in registry.environments().values()
        if registry.answers(each, name)
    }
    assert included[0] == f"bench/workloads/{name}.py"
    models = [path for path in included if not (path.startswith("bench/workloads/") or ":" in path)]
    assert set(models) == answering
    assert {models.count(path) for path in answering} == {2}  # on either side


def test_a_page_holds_the_training_step_that_each_adapter_makes(nothing):
    page = rosetta.workload_page(nothing, "mnist_mlp")
    for path, begin, end in re.findall(r'--8<-- "(.+?):(\d+):(\d+)"', page):
        lines = Path(registry.ROOT, path).read_text(encoding="utf-8").splitlines()[int(begin) - 1 : int(end)]
        assert lines[0].lstrip().startswith("def ")
        assert "step" in page
    named = {each.split(":")[0] for row in registry.environments().values() for each in row.training_step}
    assert "adapter.py" in named


def test_a_training_step_that_is_not_there_is_refused():
    answer = next(code.answers("mnist_mlp"))
    row = answer.environments[0]._replace(training_step=["adapter.py:_fly"])
    with pytest.raises(DefinitionError, match=r"adapter\.py has no function _fly"):
        code.training_step(answer._replace(environments=[row]))


@pytest.mark.parametrize(
    ("name", "base"),
    [("vgg19", "vgg16"), ("resnet50_features", "resnet50"), ("inception_resnet_v2", "inception_v3"),
     ("lstm_forecast_loop", "lstm_forecast")],
)  # fmt: skip
def test_a_statement_that_builds_on_another_is_shown_with_it(nothing, name, base):
    for page in (rosetta.workload_page(nothing, name), workload.page(nothing, name)):
        assert f'"bench/workloads/{base}.py"' in page


IMAGES = "image_layout strided_padding convolutions padding pooling"
MATTERS = {  # what is stated in another file, or by a function of its own, counts as well
    "vgg19": f"{IMAGES} adam_epsilon sgd_momentum loss labels",
    "inception_v3": f"{IMAGES} batch_norm adam_epsilon sgd_momentum loss training_flag labels",
    "resnet50_features": f"{IMAGES} batch_norm training_flag",
    "lstm_forecast_loop": "lstm_biases recurrent_layers adam_epsilon loss",
    "imdb_gru": "gru_gates recurrent_layers adam_epsilon loss labels",
    "mnist_cnn": f"{IMAGES} adadelta_epsilon loss training_flag labels dropout",
    "mnist_mlp": "rmsprop_epsilon loss training_flag labels dropout",
}


@pytest.mark.parametrize("name", MATTERS)
def test_a_difference_is_shown_where_it_matters(name):
    everywhere = {
        "waiting", "compiler", "inter_op_threads", "batches", "activation", "kernel_start", "bias_start",
    }  # fmt: skip
    assert {key for key in stated() if matters(key, name)} == {*MATTERS[name].split(), *everywhere}


def test_a_workloads_page_says_what_can_explain_its_times(nothing):
    own = {name: workload.page(nothing, name) for name in ("imdb_gru", "bn_mlp", "resnet50")}
    assert [("Recurrent layers can" in page, "Dropout can" in page) for page in own.values()] == [
        (True, False), (False, True), (False, False),
    ]  # fmt: skip


def test_a_framework_that_states_nothing_has_no_column(frameworks):
    assert {each.differs == {} for each in registry.environments(frameworks).values()} == {True}


def test_every_key_of_what_differs_is_explained():
    guide = Path(registry.FRAMEWORKS, "README.md").read_text(encoding="utf-8")
    keys = {key for each in registry.environments().values() for key in each.differs}
    assert [key for key in keys if f"`{key}`" not in guide] == []
    assert {*GATES, *OPTIMIZERS} <= keys
