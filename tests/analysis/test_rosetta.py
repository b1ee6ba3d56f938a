"""The Rosetta pages: a statement beside every answer to it, and the differences that matter to it."""

import re
from pathlib import Path

import pytest

from analysis.site import build
from analysis.site.pages import rosetta
from bench import registry


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    build.write(folder / "results", folder / "out")
    return folder / "out"


@pytest.mark.parametrize("name", registry.workload_names())
def test_a_page_holds_the_statement_and_every_answer(written, name):
    page = (written / "rosetta" / f"{name}.md").read_text(encoding="utf-8")
    included = re.findall(r'--8<-- "(.+?)"', page)
    answering = {
        f"bench/frameworks/{each.framework}/{name}.py"
        for each in registry.environments().values()
        if Path(registry.model_path(each, name)).exists()
    }
    assert included[0] == f"bench/workloads/{name}.py"
    assert {path for path in included[1:] if not path.startswith("bench/workloads/")} == answering


@pytest.mark.parametrize(
    ("name", "base"),
    [("vgg19", "vgg16"), ("resnet50_features", "resnet50"), ("inception_resnet_v2", "inception_v3"),
     ("lstm_forecast_loop", "lstm_forecast")],
)  # fmt: skip
def test_a_statement_that_builds_on_another_is_shown_with_it(written, name, base):
    for page in (written / "rosetta" / f"{name}.md", written / "workloads" / f"{name}.md"):
        assert f'"bench/workloads/{base}.py"' in page.read_text(encoding="utf-8")


MATTERS = {  # what is stated in another file, or by a function of its own, counts as well
    "vgg19": "image_layout strided_padding convolutions adam_epsilon sgd_momentum loss",
    "inception_v3": "image_layout strided_padding convolutions batch_norm adam_epsilon sgd_momentum loss training_flag",
    "resnet50_features": "image_layout strided_padding convolutions batch_norm training_flag",
    "lstm_forecast_loop": "lstm_biases recurrent_layers adam_epsilon loss",
    "imdb_gru": "gru_gates recurrent_layers adam_epsilon loss",
    "mnist_cnn": "image_layout strided_padding convolutions adadelta_epsilon loss training_flag",
    "mnist_mlp": "rmsprop_epsilon loss training_flag",
}


@pytest.mark.parametrize("name", MATTERS)
def test_a_difference_is_shown_where_it_matters(name):
    everywhere = {"waiting", "compiler", "inter_op_threads", "batches"}
    assert {key for key in rosetta.stated() if rosetta.matters(key, name)} == {*MATTERS[name].split(), *everywhere}


def test_a_framework_that_states_nothing_has_no_column(frameworks):
    assert {each.differs == {} for each in registry.environments(frameworks).values()} == {True}


def test_every_key_of_what_differs_is_explained():
    guide = Path(registry.FRAMEWORKS, "README.md").read_text(encoding="utf-8")
    keys = {key for each in registry.environments().values() for key in each.differs}
    assert [key for key in keys if f"`{key}`" not in guide] == []
    assert {*rosetta.GATES, *rosetta.OPTIMIZERS} <= keys
