"""The Rosetta pages: a statement beside every answer to it, and the differences that matter to it."""

import re
from pathlib import Path

import pytest

from analysis import site
from analysis.pages import rosetta
from bench import registry


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    site.write(folder / "results", folder / "out")
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
    assert set(included[1:]) == answering


def test_a_difference_is_shown_where_it_matters():
    assert rosetta.matters("gru_gates", "imdb_gru")
    assert not rosetta.matters("gru_gates", "mnist_mlp")
    assert not rosetta.matters("batch_norm", "cifar10_cnn")
    assert rosetta.matters("waiting", "mnist_mlp")


def test_a_framework_that_states_nothing_has_no_column(frameworks):
    assert {each.differs == {} for each in registry.environments(frameworks).values()} == {True}


def test_every_key_of_what_differs_is_explained():
    guide = Path(registry.FRAMEWORKS, "README.md").read_text(encoding="utf-8")
    keys = {key for each in registry.environments().values() for key in each.differs}
    assert [key for key in keys if f"`{key}`" not in guide] == []
    assert set(rosetta.MATTERS) <= keys
