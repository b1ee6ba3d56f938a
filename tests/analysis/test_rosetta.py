"""What differs between frameworks, where it matters, and that the site shows each measured file once."""

import re
from pathlib import Path

import pytest
import shown

from analysis.site.pages import workload
from analysis.text.frameworks import GATES, OPTIMIZERS, matters, stated
from bench import registry


@pytest.fixture(scope="module")
def nothing(tmp_path_factory):
    """What pages are made of where nothing was measured."""
    return shown.found(tmp_path_factory.mktemp("results"))


def test_the_site_shows_every_measured_file_once(nothing):
    pages = [*(workload.page(nothing, name) for name in registry.workload_names()),
             *(workload.code_page(name) for name in registry.framework_names())]  # fmt: skip
    included = [path for page in pages for path in re.findall(r'--8<-- "(.+?)"', page)]
    folders = {each.folder for each in registry.environments().values()}
    files = {path.relative_to(registry.ROOT).as_posix() for folder in folders for path in Path(folder).glob("*.py")}
    assert files <= set(included)
    assert sorted(included) == sorted(set(included))


@pytest.mark.parametrize(
    ("name", "base"),
    [("vgg19", "vgg16"), ("resnet50_features", "resnet50"), ("inception_resnet_v2", "inception_v3"),
     ("lstm_forecast_loop", "lstm_forecast")],
)  # fmt: skip
def test_a_statement_that_builds_on_another_leads_to_it(nothing, name, base):
    assert f'href="../../../generated/workloads/{base}/"' in workload.page(nothing, name)


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


def test_a_framework_that_states_nothing_has_no_column(frameworks):
    assert {each.differs == {} for each in registry.environments(frameworks).values()} == {True}


def test_every_key_of_what_differs_is_explained():
    guide = Path(registry.FRAMEWORKS, "README.md").read_text(encoding="utf-8")
    keys = {key for each in registry.environments().values() for key in each.differs}
    assert [key for key in keys if f"`{key}`" not in guide] == []
    assert {*GATES, *OPTIMIZERS} <= keys
