"""A proof of version 2 changes where anything that computes an answer does, and nowhere else."""

import shutil

import pytest
from trees import WORKLOAD, planted

from bench.errors import DefinitionError
from bench.proof import proof_hashes

MODEL = f"frameworks/toy/{WORKLOAD}.py"
ADAPTER = "frameworks/toy/adapter.py"
TOY = """
layout = "nhwc"
precisions = ["fp32"]
modes.plain = { compiles = false, tier = "documented" }
[environments.toy]
title = "Toy"
color = "#000000"
marker = "o"
python = ["3.11"]
modes = ["plain"]
packages = []
variables = { TOY_FAST = "0" }
"""
PROGRAM = '''"""Toy: how a model file is run."""

import os

import toy

from bench.errors import DefinitionError

OUT_OF_MEMORY = ()
RATE = 2.0
FAST = os.environ["TOY_FAST"]


def devices():
    return ["cpu"]


def loaded():
    return {"toy": toy.__version__}


def configure(device, threads, precision):
    toy.set_threads(threads)


def scaled(value):
    return value * RATE


def doubled(value):
    return value + value


class Program:
    """One model."""

    def __init__(self, source, task, mode, optimizer, x):
        self.model = source.Model()
        if mode != "plain":
            message = "no mode %s"
            raise DefinitionError(message % mode + " of Toy")

    def compiled(self):
        return None

    def report(self):
        return toy.report()

    def step(self, batch):
        return scaled(self.model(batch))

    def wait(self, handle):
        return float(handle)

    def loop(self, batch, steps, clock):
        return [self.step(batch) for _ in range(steps)]
'''
FILES = {
    "frameworks/toy/framework.toml": TOY,
    ADAPTER: PROGRAM,
    MODEL: "from toy import nn\n\nModel = nn.Dense(3)\n",
    "frameworks/toy/controls.py": "def helper(value):\n    return value * 2\n",
    "frameworks/toy/parts/norms.py": "def norm(value):\n    return value / 2\n",
    "frameworks/toy/table.json": "[1]\n",
}


@pytest.fixture
def tree(bench_copy, monkeypatch):
    yield from planted(bench_copy, "toy", FILES, monkeypatch)


STEP = "return scaled(self.model(batch))"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (ADAPTER, "RATE = 2.0", "RATE = 3.0"),
        (ADAPTER, "value * RATE", "value + RATE"),
        (ADAPTER, STEP, "return doubled(self.model(batch))"),
        (ADAPTER, "float(handle)", "handle"),
        (ADAPTER, "range(steps)", "range(steps - 1)"),
        (ADAPTER, "set_threads(threads)", "set_threads(1)"),
        (ADAPTER, "import toy\n", "import newer as toy\n"),
        (ADAPTER, "RATE = 2.0", "RATE = 2.0\ntoy.fast = True"),
        (ADAPTER, "RATE = 2.0", "RATE = 2.0\nold = toy.set_default('float64')"),
        (ADAPTER, "RATE = 2.0", "RATE = 2.0\n\n\ndef unused(x=toy.set_default('float64')):\n    return x"),
        (ADAPTER, "RATE = 2.0", "RATE = 2.0\n\n\n@toy.replaces\ndef unused(x):\n    return x"),
        (ADAPTER, "RATE = 2.0", "RATE = 2.0\n\n\nclass Unused:\n    toy.set_default('float64')"),
        (MODEL, "Dense(3)", "Dense(4)"),
        (f"workloads/{WORKLOAD}.py", "PARITY_BATCH = ", "PARITY_BATCH = 1 + "),
        ("problem.py", "randint(0, classes", "randint(1, classes"),
        ("problem.py", "np.sqrt(6.0", "np.sqrt(3.0"),
        ("answer.py", "WIDTH = 16", "WIDTH = 8"),
        ("answer.py", "::-TOKENS]", "::-1]"),
        ("registry.py", "problem.batch(random, problem.PARITY_BATCH)", "problem.batch(random, 1)"),
        ("registry.py", "spec.loader.exec_module(module)", "spec.loader.exec_module(module)\n    module.RATE = 1"),
        ("worker/programs.py", "make(source, task, base, optimizer,", "make(source, task, mode, optimizer,"),
        ("ablations/__init__.py", "mode.partition(SIGN)", "mode.rpartition(SIGN)"),
        ("worker/programs.py", 'request["threads"], precision)', "1, precision)"),
        ("worker/__main__.py", "return answers.thinned(arrays)", "return arrays"),
        ("machine.py", "\nimport os\n", "\nimport os\nimport numpy as np\n\nnp.sqrt = np.cbrt\n"),
        ("frameworks/toy/framework.toml", 'TOY_FAST = "0"', 'TOY_FAST = "1"'),
        ("frameworks/toy/framework.toml", 'TOY_FAST = "0"', 'TOY_FAST = "0", ONEDNN_DEFAULT_FPMATH_MODE = "BF16"'),
    ],
)  # fmt: skip
def test_a_proof_changes_with_everything_that_computes_an_answer(tree, name, old, new):
    assert not tree.keeps(name, old, new)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (ADAPTER, "    def compiled(self):\n        return None\n\n", ""),
        (ADAPTER, "toy.report()", "toy.report(1)"),
        (ADAPTER, "toy.__version__", "toy.version()"),
        (ADAPTER, "value + value", "2 * value"),
        (ADAPTER, '"no mode %s"', '"Toy has no mode %s"'),
        (ADAPTER, '" of Toy"', '" of that toy"'),
        (ADAPTER, '"""One model."""', '"""A model."""  # of one framework'),
        (MODEL, "Model =", "# What the site shows.\nModel ="),
        ("answer.py", "sort_keys=True", "sort_keys=False"),
        ("answer.py", "%d, and weights() makes %d numbers", "%d, but weights() makes %d"),
        ("measure.py", "WARM_UP_STEPS = 3", "WARM_UP_STEPS = 4"),
        ("registry.py", 'CONTROLS = "controls.py"', 'CONTROLS = "c.py"'),
        ("results/schema.py", "value[:60]", "value[:50]"),
        ("frameworks/toy/controls.py", "value * 2", "value * 3"),
        ("frameworks/toy/parts/norms.py", "value / 2", "value / 3"),
    ],
)  # fmt: skip
def test_a_proof_stays_where_nothing_of_an_answer_is_edited(tree, name, old, new):
    assert tree.keeps(name, old, new)


HIDDEN = {  # how a step may reach a helper that no statement of the adapter's own names: its edits, and the helper's
    "globals": ([("return scaled(", 'return globals()["doubled"](')], (ADAPTER, "value + value", "value + 1")),
    "globals().get": (
        [("return scaled(", 'return globals().get("doubled")(')], (ADAPTER, "value + value", "value + 1")),
    "vars of a module": (
        [("import toy\n", "import toy\n\nfrom bench.frameworks.toy import controls\n"),
         ("return scaled(", 'return vars(controls)["helper"](')], ("frameworks/toy/controls.py", "* 2", "* 3")),
    "getattr": (
        [("import toy\n", "import toy\n\nfrom bench.frameworks.toy import controls\n"),
         ("return scaled(", 'return getattr(controls, "helper")(')], ("frameworks/toy/controls.py", "* 2", "* 3")),
    "controls": (
        [("import toy\n", "import toy\n\nfrom bench.frameworks.toy.controls import helper\n"),
         ("return scaled(", "return helper(")], ("frameworks/toy/controls.py", "* 2", "* 3")),
    "an import inside a function": (
        [(STEP, "from bench.frameworks.toy.controls import helper\n\n        return helper(batch)")],
        ("frameworks/toy/controls.py", "* 2", "* 3")),
    "a subfolder": (
        [("import toy\n", "import toy\n\nfrom bench.frameworks.toy.parts import norms\n"),
         ("return scaled(", "return norms.norm(")], ("frameworks/toy/parts/norms.py", "/ 2", "/ 3")),
    "a relative import": (
        [("import toy\n", "import toy\n\nfrom .parts.norms import norm\n"), ("return scaled(", "return norm(")],
        ("frameworks/toy/parts/norms.py", "/ 2", "/ 3")),
    "importlib": (
        [("return scaled(", 'return __import__("importlib").import_module("bench.frameworks.toy.parts.norms").norm(')],
        ("frameworks/toy/parts/norms.py", "/ 2", "/ 3")),
    "a module by its path": (
        [("import toy\n", "import toy\n\nfrom bench import registry\n"),
         ("return scaled(", 'return registry.load_module(os.path.join("parts", "norms.py"), "norms").norm(')],
        ("frameworks/toy/parts/norms.py", "/ 2", "/ 3")),
    "a file of data": (
        [("return scaled(", 'return toy.read(open(os.path.dirname(__file__) + "/table.json"))(')],
        ("frameworks/toy/table.json", "1", "2")),
    "another module of the bench": (
        [("import toy\n", "import toy\n\nfrom bench.measure import steps_per_block\n"),
         ("return scaled(", "return steps_per_block(1, 1, ")],
        ("measure.py", "WAIT_SHARE = 1e-3", "WAIT_SHARE = 1e-2")),
    "a patch when a helper is imported": (
        [("import toy\n", "import toy\n\nfrom bench.frameworks.toy import controls\n")],
        ("frameworks/toy/controls.py", "def helper", "import toy\n\ntoy.nn.Dense = toy.nn.Loose\n\n\ndef helper")),
}  # fmt: skip


@pytest.mark.parametrize("way", HIDDEN)
def test_a_helper_is_part_of_a_proof_however_a_step_reaches_it(tree, way):
    edits, (name, old, new) = HIDDEN[way]
    plain = tree.proof()
    tree.edit(ADAPTER, *edits)
    before = tree.proof()
    assert "patch" in way or before != plain
    assert not tree.keeps(name, old, new)


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ('return eval("scaled")(self.model(batch))', "runs a text"),
        ('exec("x = 1")\n        return scaled(batch)', "runs a text"),
        ("return globals()[batch.name](batch)", "a name space is read without a constant name"),
        ("return dict(**globals())[batch.name]", "a name space is read without a constant name"),
        ("return getattr(self, batch.name)(batch)", "takes a name that is not constant"),
        ("return getattr(type(self), batch.name)(batch)", "takes a name that is not constant"),
        (
            "from bench import problem\n\n        return getattr(problem, batch.name)(batch)",
            "takes a name that is not constant",
        ),
        ("return __import__(batch.name).step(batch)", "takes a module whose name no text says"),
        ("return toy.read(open(batch.path))", "reads a file that no text in it names"),
        ('return scaled(batch) * float(os.environ["SPEED"])', "it reads the variable SPEED"),
        ('return scaled(batch) * float(os.getenv("SPEED"))', "it reads the variable SPEED"),
    ],
)
def test_what_no_reading_can_follow_is_refused_with_its_cause(tree, new, said):
    tree.edit(ADAPTER, (STEP, new))
    with pytest.raises(DefinitionError, match=said) as raised:
        tree.proof()
    assert "toy/adapter.py, line" in str(raised.value)


def test_a_frameworks_own_object_may_be_asked_by_a_computed_name_and_a_module_that_asks_may_not(tree):
    tree.edit(ADAPTER, (STEP, "return getattr(self.model, batch.name)(batch)"))
    assert tree.proof()
    asking = "    weights = problem.weights(np.random.RandomState(0))\n"
    tree.edit("answer.py", (asking, asking + "    getattr(registry, problem.NAME)()\n"))
    with pytest.raises(DefinitionError, match=r"answer.py, line .* takes a name that is not constant"):
        tree.proof()


def test_a_moved_file_and_a_renamed_module_keep_a_proof(tree):
    edits, _ = HIDDEN["a subfolder"]
    tree.edit(ADAPTER, *edits)
    before = tree.proof()
    (tree.folder / "frameworks/toy/parts/norms.py").rename(tree.folder / "frameworks/toy/scaling.py")
    tree.edit(ADAPTER, ("from bench.frameworks.toy.parts import norms", "from bench.frameworks.toy import scaling"),
              ("norms.norm(", "scaling.norm("))  # fmt: skip
    assert tree.proof() == before
    for path in tree.folder.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("bench.problem import", "bench.words import"), encoding="utf-8")
    shutil.copy(tree.folder / "problem.py", tree.folder / "words.py")
    assert tree.proof() == before
    assert not tree.keeps("words.py", "randint(0, classes", "randint(1, classes")


def test_two_names_that_change_places_change_a_proof(tree):
    imported = "import toy\n\nfrom bench.problem import {} as first, {} as second\n"
    tree.edit(ADAPTER, ("import toy\n", imported.format("images", "labels")),
              ("return scaled(", "return first(second("), ("self.model(batch))", "self.model(batch)))"))  # fmt: skip
    there, back = (imported.format(*names)[11:] for names in (("images", "labels"), ("labels", "images")))
    assert not tree.keeps(ADAPTER, there, back)


def test_the_timing_code_has_a_hash_of_its_own(tree):
    before, proven = proof_hashes.timing_hash(), tree.proof()
    tree.edit(ADAPTER, ("RATE = 2.0", "RATE = 3.0"))
    assert proof_hashes.timing_hash() == before
    assert tree.proof() != proven


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("measure.py", "WARM_UP_STEPS = 3", "WARM_UP_STEPS = 4"),
        ("measure.py", "time.perf_counter()", "time.time()"),
        ("worker/run.py", "case.batch_size))", "case.batch_size - 1))"),
        ("driver/turn_taking.py", "random.permutation(len(going))", "range(len(going))"),
        ("feeding/__init__.py", "time.perf_counter()", "time.time()"),
        ("worker/epochs.py", "time.perf_counter()", "time.time()"),
    ],
)
def test_an_edit_of_what_times_changes_the_timing_hash_and_no_proof(tree, name, old, new):
    before, proven = proof_hashes.timing_hash(), tree.proof()
    tree.edit(name, (old, new))
    assert proof_hashes.timing_hash() != before
    assert tree.proof() == proven
