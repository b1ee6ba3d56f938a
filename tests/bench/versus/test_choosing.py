"""Which interpreter each program gets, and which commands are refused before anything starts."""

import os
import subprocess
import sys

import pytest
from running import ROOT

from bench.cli import options
from bench.versus import choosing
from bench.versus.choosing import VersusError

KERAS = 'import os\nos.environ["KERAS_BACKEND"] = "{0}"\nimport keras\nimport numpy as np\n'


@pytest.fixture
def chosen(tmp_path, monkeypatch):
    """Return a function that writes scripts, and returns the choices of a command in their folder."""
    monkeypatch.delenv("KERAS_BACKEND", raising=False)

    def choose(sources, *words):
        for name, source in sources.items():
            (tmp_path / name).write_text(source)
        return choosing.read(words or list(sources), str(tmp_path))

    return choose


@pytest.mark.parametrize(
    ("source", "environment"),
    [
        ("import torch\nfrom torch import nn", "pytorch"),
        ("import jax.numpy as jnp\nfrom flax import nnx", "jax"),
        ("import tensorflow as tf", "tensorflow"),
        (KERAS.format("jax"), "keras-jax"),
        (KERAS.format("torch"), "keras-torch"),
        (KERAS.format("tensorflow") + "import scipy", "keras-tensorflow"),
        ('import os\nos.environ.setdefault("KERAS_BACKEND", "torch")\nimport keras', "keras-torch"),
        ("import numpy as np", ""),
        ("import json", ""),
    ],
)
def test_the_smallest_environment_that_fits_the_imports_is_chosen(chosen, source, environment):
    first, second = chosen({"a.py": source, "b.py": "import json"})
    assert (first.environment, second.environment) == (environment, "")


def test_imports_of_the_user_s_own_modules_count(chosen):
    first, _ = chosen({"a.py": "import model", "b.py": "", "model.py": "import torch"}, "a.py", "b.py")
    assert first.environment == "pytorch"


def test_a_given_interpreter_comes_before_an_environment_and_that_before_imports(chosen):
    sources = {"a.py": "import torch", "b.py": "import torch"}
    first, second = chosen(sources, *sources, "--python=a=/usr/bin/python3", "--environment=b=keras-torch")
    assert (first.python, first.environment, second.environment) == ("/usr/bin/python3", "", "keras-torch")
    assert second.settings == {"KERAS_BACKEND": "torch"}


def test_a_file_may_be_named_by_its_name_instead_of_its_letter(chosen):
    sources = {"one.py": "", "two.py": ""}
    _, second = chosen(sources, *sources, "--python=two=/here", "--loop=two=loader")
    assert (second.letter, second.python, second.loop) == ("b", "/here", "loader")


def test_one_file_with_two_settings_is_two_programs(chosen):
    words = ("mine.py", "--set=a:KERAS_BACKEND=torch", "--set=b:KERAS_BACKEND=jax")
    found = chosen({"mine.py": "import keras"}, *words)
    assert [(choice.environment, choice.settings) for choice in found] == [
        ("keras-torch", {"KERAS_BACKEND": "torch"}), ("keras-jax", {"KERAS_BACKEND": "jax"}),
    ]  # fmt: skip


REFUSED = {
    "There is no file absent.py": ("a.py", "absent.py"),
    "Give two or more files": ("a.py",),
    "names the program 'z'. Name one of: a (a.py), b (b.py)": ("a.py", "b.py", "--python=z=/here"),
    "sets KERAS_BACKEND to 'jax' itself": ("a.py", "b.py", "--set=b:KERAS_BACKEND=torch"),
    "There is no environment 'torch'": ("a.py", "b.py", "--environment=a=torch"),
    "No environment has jax, torch together": ("a.py", "both.py"),
    "wrong.py, line 1: ": ("a.py", "wrong.py"),
}


@pytest.mark.parametrize("message", REFUSED)
def test_a_command_that_cannot_be_meant_is_refused(chosen, message):
    sources = {"a.py": "", "b.py": KERAS.format("jax"), "both.py": "import jax, torch", "wrong.py": "def step(:"}
    with pytest.raises(choosing.DefinitionError) as error:
        chosen(sources, *REFUSED[message])
    assert message in str(error.value)
    assert isinstance(error.value, VersusError) or "environment" in message


def test_relative_paths_begin_in_the_given_folder(chosen, tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "c.py").write_text("")
    first, _ = chosen({"a.py": ""}, "inner/c.py", "a.py")
    assert first.path == str(tmp_path / "inner" / "c.py")


def test_nox_chooses_without_numpy():
    code = (
        "import sys; sys.modules['numpy'] = None; from bench.versus import choosing; import bench.versus.inside.loops"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=60, env=dict(os.environ))


def test_help_teaches_by_example(capsys):
    with pytest.raises(SystemExit):
        options.parser("versus").parse_args(["versus", "--help"])
    text = capsys.readouterr().out
    assert [word for word in ("nox -s versus -- ", "--loop loader", "--set a:KERAS_BACKEND=torch", "def step()")
            if word not in text] == []  # fmt: skip
