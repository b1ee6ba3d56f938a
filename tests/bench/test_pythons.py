"""Every Python finds the same text in the files that a proof holds, and the same hash of a question."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench import proof, registry
from tasks.pythons import find_python

ROOT = Path(__file__).parents[2]
BENCH = ROOT / "bench"

# What Pythons see in different ways: decorated, packed or byte-counted lines, strings in several lines, f-strings.
SAMPLE = '''"""Some
lines."""
import os; import re
"""
Not a docstring, and no statement that acts.
"""
x = 1; é = "é"; LAYERS = {"é": f"{x}#", "B": 2,  # é
    "C": """a

    # b  """}


@property

# between
@os.wraps(
    x
)
def f(a, b=f"{x!r:>{x}} {{}} {f'{x}'}"): return a \\
    + b


async def g():
    """A docstring."""
    yield f"""{
    x}

    # no comment
    """  # a comment


class A: pass
if x:
    y = 1
else: del x
LAYERS["D"] = 0o17 ** 1_000'''
SCRIPT = """
import ast, json, sys, types
sys.modules["bench.proof"] = package = types.ModuleType("bench.proof")  # the real one needs NumPy
package.__path__ = ["bench/proof"]
from bench.proof import statements, syntax
def read(path):
    with open(path, encoding="utf-8") as file:
        source = file.read() + "\\n"
    parts = [part for node in ast.parse(source, path).body for part in statements.parts_of(node)]
    words = [(position, word) for line in syntax.lines_of(source) for _, position, word in line]
    texts = syntax.texts_of(words, [part.node for part in parts], source)
    return [(text, sorted(part.binds), sorted(part.layers)) for part, text in zip(parts, texts) if text]
print(json.dumps([read(path) for path in json.load(sys.stdin)]))
"""


def told(python, script, question):
    done = subprocess.run([python, "-B", "-c", script], input=json.dumps(question), cwd=ROOT, text=True,
                          capture_output=True, check=False, timeout=60)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("version", ["3.6", "3.8", "3.12", "3.13"])
def test_every_python_finds_the_same_words_and_statements(version, tmp_path):
    python = find_python([version]) or pytest.skip(f"no Python {version} on this machine")
    (tmp_path / "sample.py").write_text(SAMPLE, encoding="utf-8")
    hashed = ("problem.py", "answer.py", "workloads/*.py", "frameworks/*/*.py")
    paths = [tmp_path / "sample.py", *(path for pattern in hashed for path in sorted(BENCH.glob(pattern)))]
    question = [str(path) for path in paths]
    assert told(python, SCRIPT, question) == told(sys.executable, SCRIPT, question)


def test_the_python_of_2017_gives_the_same_question_the_same_hash():
    """Its environment has the NumPy that a statement needs."""
    script = (
        "import json, sys\nfrom bench import proof\nprint(json.dumps([*map(proof.problem_hash, json.load(sys.stdin))]))"
    )
    found = [row.name for row in registry.environments().values() if row.python[0] == "3.6"]
    pythons = [ROOT / ".nox" / f"install-{name.replace('.', '-')}" / "bin" / "python" for name in found]
    python = next((each for each in pythons if each.exists()), None) or pytest.skip("no environment of Python 3.6 here")
    names = registry.workload_names()
    assert told(python, script, names) == [proof.problem_hash(name) for name in names]
