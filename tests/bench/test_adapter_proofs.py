"""A proof holds what its workload uses of an adapter, its table of layers and its backends, and nothing else."""

import ast
import shutil
from pathlib import Path

import pytest
from trees import WORKLOAD, planted

from bench import registry
from bench.errors import DefinitionError
from bench.proof import proof_hashes

FRAMEWORK = """
layout = "nhwc"
precisions = ["fp32"]
modes.plain = { compiles = false, tier = "documented" }
[environments.toy-one]
title = "Toy on one"
color = "#000000"
marker = "o"
python = ["3.11"]
modes = ["plain"]
packages = []
variables = { TOY_BACKEND = "one", TOY_EMPTY = "x" }
[environments.toy-two]
like = "toy-one"
title = "Toy on two"
variables = { TOY_BACKEND = "two", TOY_EMPTY = "" }
"""
ADAPTER = '''"""Toy: how a model file is run."""

import functools
import os

import toy
from toy import nn

from bench import registry

backend = registry.load_module("backend_%s.py" % toy.NAME, "toy_backend")
configure = backend.configure
OUT_OF_MEMORY = ()
NORM = {"gamma": "scale"}


def gates(value):
    return value[::-1]


def heads(value):
    return value  # as they are


LAYERS = {"Dense": None, "GRU": {"kernel": gates},
    "Norm": NORM,
}


def loaded():
    return {"toy": toy.__version__}


def place(value):
    return toy.array(value)


@functools.singledispatch
def leaves(layer):
    return []


@leaves.register(nn.Special)
def _(layer):
    return ["special"]


class Program:
    """One model."""

    def __init__(self, source):
        self.leaves = leaves(source.Model())
        self.rows = LAYERS

    def place(self, x):
        return place(x), "# no comment"
'''
BACKEND = """import toy

from bench.errors import Unsupported


def configure(threads):
    _set(threads)


def _set(threads):
    toy.threads = threads


def unused():
    raise Unsupported
"""
MODEL = """from toy import nn

Model = nn.Stack(nn.Dense(3), nn.GRU(4))
"""


MODEL_FILE = f"frameworks/toy/{WORKLOAD}.py"
ADAPTER_FILE = "frameworks/toy/adapter.py"
FILES = {
    "frameworks/toy/framework.toml": FRAMEWORK, ADAPTER_FILE: ADAPTER, MODEL_FILE: MODEL,
    "frameworks/toy/backend_one.py": BACKEND, "frameworks/toy/backend_two.py": BACKEND,
}  # fmt: skip


@pytest.fixture
def tree(bench_copy, monkeypatch):
    yield from planted(bench_copy, "toy-one", FILES, monkeypatch)


HELPER = "\n\ndef fresh(random):\n    return kernel(random, 1, 1)\n\n\ndef merge(*parts):\n"


@pytest.mark.parametrize(
    ("what", "edit"),
    [
        ("a new helper", ("problem.py", "\n\ndef merge(*parts):\n", HELPER)),
        ("a helper that the workload does not import", ("problem.py", "3 * units", "5 * units")),
        ("an adapter's new helper", (ADAPTER_FILE, "NORM =", "NEW = 1\nNORM =")),
        ("an adapter's new import", (ADAPTER_FILE, "import os\n", "import os\nimport sys\n")),
        ("a helper of a backend", ("frameworks/toy/backend_one.py", "raise Unsupported", "raise ValueError")),
        ("another environment's backend", ("frameworks/toy/backend_two.py", "toy.threads", "toy.cores")),
        ("the framework's controls", ("frameworks/toy/controls.py", "import toy\n\ntoy.fast()\n")),
        ("another workload's model", ("frameworks/toy/linear.py", "Model = 1\n")),
    ],
)
def test_a_proof_stays_where_what_it_does_not_use_is_edited(what, edit, tree):
    assert tree.keeps(*edit), what


@pytest.mark.parametrize(
    ("what", "edit"),
    [
        ("the model file", (MODEL_FILE, "GRU(4)", "GRU(5)")),
        ("the program", (ADAPTER_FILE, "self.rows = LAYERS", "self.rows = dict(LAYERS)")),
        ("a function that only the program uses", (ADAPTER_FILE, "toy.array(value)", "toy.array(value, 1)")),
        ("what a program's function is registered for", (ADAPTER_FILE, '["special"]', '["spatial"]')),
        ("what acts at import in a loop", (ADAPTER_FILE, "NORM =", "for each in toy:\n    each()\nNORM =")),
        ("the environment's own backend", ("frameworks/toy/backend_one.py", "threads)\n", "2 * threads)\n")),
        ("what only its own backend uses", ("frameworks/toy/backend_one.py", "toy.threads", "toy.cores")),
        ("what every backend may share", ("frameworks/toy/backend_base.py", "import toy\n\ntoy.fast()\n")),
        ("what looks like a comment", (ADAPTER_FILE, "# no comment", "# a string")),
    ],
)
def test_a_proof_changes_where_what_it_uses_is_edited(what, edit, tree):
    assert not tree.keeps(*edit), what


@pytest.mark.parametrize("name", ["problem.py", "answer.py", f"workloads/{WORKLOAD}.py", ADAPTER_FILE])
def test_comments_docstrings_and_lines_that_are_broken_elsewhere_keep_a_proof(name, tree):
    text = (tree.folder / name).read_text(encoding="utf-8")
    broken = text.replace("import numpy as np", "import \\\n    numpy as np").replace("(value)", "(\n\n  value\n)")
    commented = broken.replace("\n\n\n", "  \n# Why.\n\n\n\n\n").replace('"""One', '"""Only one')
    assert tree.keeps(name, f'"""Another docstring."""\n# {text[:20]!r}\n' + commented.partition('"""\n')[2])


def test_a_new_row_of_layers_keeps_the_proofs_of_models_that_do_not_name_the_layer(tree):
    assert tree.keeps(ADAPTER_FILE, '"Norm": NORM,\n', '"Norm": NORM,\n    "Attention": {"out": heads},\n')
    assert tree.keeps(ADAPTER_FILE, '"Dense": None', '"Attention2": heads, "Dense": None')
    assert tree.keeps(ADAPTER_FILE, '"Norm": NORM', '"Norm": {**NORM}')
    assert tree.keeps(ADAPTER_FILE, "return value  # as they are", "return value * 2")
    assert not tree.keeps(MODEL_FILE, MODEL.replace("Dense", "Attention"))
    assert not tree.keeps(ADAPTER_FILE, "return value * 2", "return value * 3")


def test_an_edited_row_of_layers_changes_the_proofs_of_models_that_name_the_layer(tree):
    assert not tree.keeps(ADAPTER_FILE, '"Dense": None', '"Dense": 1')
    assert not tree.keeps(ADAPTER_FILE, '{"kernel": gates}', '{"weight": gates}')
    assert not tree.keeps(ADAPTER_FILE, "value[::-1]", "value[::-2]")
    assert tree.keeps(ADAPTER_FILE, '{"gamma": "scale"}', '{"gamma": "offset"}')


def test_a_file_that_a_model_imports_from_its_folder_counts_and_so_do_the_layers_it_names(tree):
    tree.write("frameworks/toy/linear.py", "from toy import nn\n\nblock = nn.Norm\n")
    tree.write(MODEL_FILE, "from bench.frameworks.toy.linear import block\n" + MODEL)
    assert not tree.keeps(ADAPTER_FILE, '"Norm": NORM', '"Norm": {**NORM}')
    assert not tree.keeps("frameworks/toy/linear.py", "nn.Norm", "nn.Norm(1)")


def test_a_file_that_does_not_parse_is_named(tree):
    tree.edit(ADAPTER_FILE, ("class Program:", "class Program"))
    with pytest.raises(DefinitionError, match=r"adapter\.py: expected a file that Python .* can parse"):
        tree.proof()
    tree.write(ADAPTER_FILE, ADAPTER)
    (tree.folder / MODEL_FILE).write_bytes(b"x = '\xff'\n")
    with pytest.raises(DefinitionError, match=WORKLOAD):
        tree.proof()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("from bench.problem import", "from bench.problem import *  #", r"mnist_mlp.py imports \* from a module"),
        ("from bench.problem import", "import bench.problem  #", "mnist_mlp.py imports bench.problem whole"),
        ("from bench.problem import", "from bench.problems import", "imports bench.problems.*, which is not a module"),
        ("class Program", "class Programme", "adapter.py: expected a definition of Program"),
    ],
)
def test_a_name_that_nothing_defines_is_an_error_and_no_empty_proof(old, new, said, tree):
    tree.edit(f"workloads/{WORKLOAD}.py" if "import" in old else ADAPTER_FILE, (old, new))
    with pytest.raises(DefinitionError, match=said):
        tree.proof()


def _members(row):
    tree = ast.parse(Path(row.folder, "adapter.py").read_text(encoding="utf-8"))
    program = next(node for node in tree.body if getattr(node, "name", "") == "Program")
    return [node for node in program.body if isinstance(node, ast.FunctionDef)]


def _of_each_framework():
    """Return an environment of each framework: the first two now, all others at night, for a second each."""
    rows = {row.framework: row for row in registry.environments().values() if row.is_default}
    rows = {**{row.framework: row for row in registry.environments().values() if row.framework not in rows}, **rows}
    ordered = sorted(rows.values(), key=lambda row: (not row.is_default, row.name))
    return [pytest.param(row, id=row.framework, marks=[pytest.mark.nightly] * (place > 1))
            for place, row in enumerate(ordered)]  # fmt: skip


@pytest.mark.parametrize("row", _of_each_framework())
def test_every_member_of_a_real_program_is_proven_but_what_reports_what_a_compiler_made(row, tmp_path, monkeypatch):
    folder = tmp_path / row.framework
    shutil.copytree(row.folder, folder, ignore=shutil.ignore_patterns("upstream", "__pycache__"))
    workload = next(name for name in registry.workload_names() if registry.answers(row, name))
    others = proof_hashes._others(row)
    monkeypatch.setattr(proof_hashes, "_others", lambda _: others)
    moved = row._replace(folder=str(folder))
    before, path = proof_hashes.proof_hash(workload, moved, {}), folder / "adapter.py"
    kept = path.read_text(encoding="utf-8")
    for member in _members(row):
        lines = kept.split("\n")
        body = member.body[1] if ast.get_docstring(member) and len(member.body) > 1 else member.body[0]
        lines.insert(body.lineno - 1, " " * body.col_offset + "planted = 1")
        path.write_text("\n".join(lines), encoding="utf-8")
        assert (proof_hashes.proof_hash(workload, moved, {}) != before) == (member.name != "compiled"), member.name
