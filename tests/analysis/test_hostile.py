"""Whatever a results folder holds, reading refuses it with file and line, or pages show it as text."""

import os
import re
import tracemalloc
import warnings
import zipfile

import campaign
import corpus
import numpy as np
import pytest

from analysis import controls
from analysis.__main__ import main
from analysis.checks import Given, contribution, everything
from analysis.checks.contribution import Checked
from analysis.figures import style
from analysis.load.campaigns import read_campaigns
from bench import answer, proof
from bench.campaign import report
from bench.errors import ParityError, RecordError
from bench.results import plausible, records

FILES = corpus.files()
ACCEPTED = corpus.accepted()


def read(folder):
    """Read a results folder as the site does, but that a control that cannot be read ends it as any file does."""
    for machine in controls.machines(folder):
        for module in controls.found().values():
            controls.judge_on(module, machine)
    return read_campaigns(folder)


def test_the_corpus_is_large_and_always_the_same():
    assert len(FILES) >= 200
    assert len({each.path for each in FILES}) == len(FILES)
    assert corpus.files() == FILES
    assert 100 < len(ACCEPTED) < len(FILES) - 150


@pytest.mark.parametrize("hostile", FILES, ids=lambda hostile: hostile.name[:60].encode("ascii", "replace").decode())
def test_a_hostile_file_is_refused_with_file_and_line_or_read(hostile, tmp_path):
    hostile.write(tmp_path)
    if not hostile.is_refused:
        read(tmp_path)
        return
    with pytest.raises(RecordError) as refused:
        read(tmp_path)
    reason = str(refused.value)
    assert reason.isascii()
    assert reason.isprintable()
    assert len(reason) < 1000
    assert ascii("/".join(hostile.path.split("/")[-2:]))[1:-1] in reason
    assert "expected" in reason or "is missing" in reason or "not a JSON record" in reason or "not a known" in reason
    if hostile.line:
        assert f"line {hostile.line}: " in reason


def test_the_check_finds_all_of_them_at_once_and_never_stumbles(tmp_path):
    for hostile in FILES:
        hostile.write(tmp_path)
    findings = contribution.check(Given(tmp_path, everything(tmp_path), tmp_path / "parity"))
    wrong = {(each.file, each.line) for each in findings if each.is_error}
    for hostile in FILES:
        name = ascii(f"results/{hostile.path}")[1:-1][:200]
        if hostile.is_refused and hostile.line and "/controls/" not in hostile.path:
            assert (name, hostile.line) in wrong, hostile.name
        elif hostile.is_refused and "/controls/" not in hostile.path:
            assert name in {file for file, _ in wrong}, hostile.name
    lines = contribution.text(Checked("all", findings)).split("\n")
    assert all(line.isprintable() for line in lines)
    assert all(re.match(r"(error|note ) results/|      \S|Checked ", line) for line in lines)


def test_no_text_of_a_file_commands_a_terminal(tmp_path, capsys):
    for hostile in ACCEPTED:
        hostile.write(tmp_path)
    assert main(["controls", str(tmp_path)]) == 0
    for hostile in (each for each in ACCEPTED if "/controls/" not in each.path and each.content):
        print(report.table(plausible.judge_all(records.read(str(tmp_path / hostile.path)))))
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert all(line.isprintable() for line in out.split("\n"))


def test_a_line_of_a_gigabyte_takes_little_memory(tmp_path):
    path = tmp_path / "20261120-000000.jsonl"
    path.touch()
    os.truncate(path, 1 << 30)  # a hole: no byte of it is on the disk
    tracemalloc.start()
    with pytest.raises(RecordError, match=r"line 1: expected at most \d+ bytes in a line, got more"):
        records.read(str(path))
    assert tracemalloc.get_traced_memory()[1] < 4 * records.LINE_BYTES
    tracemalloc.stop()


LINKS = {
    "file": lambda place, source: place.symlink_to(source),
    "folder": lambda place, source: (place.parent.rmdir(), place.parent.symlink_to(source.parent)),
    "loop": lambda place, _: place.symlink_to(place),
    "nowhere": lambda place, _: place.symlink_to(place.parents[2] / "nowhere"),
    "pipe": lambda place, _: os.mkfifo(place),
}


@pytest.mark.parametrize("link", LINKS.values(), ids=LINKS)
def test_links_and_what_is_no_file_are_refused_unread(link, tmp_path):
    elsewhere = campaign.write(tmp_path / "elsewhere", campaign.lines([campaign.case("red")], campaign.always(0.01)))
    (source,) = elsewhere.glob("*/*.jsonl")
    place = tmp_path / "results" / "machine" / "20261120-000000.jsonl"
    place.parent.mkdir(parents=True)
    link(place, source)
    with pytest.raises(RecordError, match=r"machine/20.*\.jsonl: expected a file in a folder, got a link"):
        read(tmp_path / "results")


# Parity answers: anybody's as well, and read by NumPy from a ZIP archive.

QUESTION = ("mnist_mlp", "rmsprop")
RIGHT = {
    "outputs": np.ones((2, 4, 10), np.float32), "loss": np.ones(2, np.float32),
    "gradients": np.ones((2, 3, 16), np.float32), "losses": np.ones(20, np.float32),
    "weights": np.ones((3, 16), np.float32), "gradient_names": np.array(list("abc")),
    "weight_names": np.array(list("abc")),
}  # fmt: skip
SPOILT = {
    "an array of text": {"losses": np.array(["<script>"] * 20)},
    "an array of whole numbers": {"loss": np.ones(2, int)},
    "complex numbers": {"loss": np.ones(2, complex)},
    "one number": {"outputs": np.float32(1)},
    "nothing in an array": {"weights": np.ones((0, 16), np.float32)},
    "other dimensions": {"gradients": np.ones((2, 3, 16, 1), np.float32)},
    "fewer names than tensors": {"weight_names": np.array(["a"])},
    "names that are numbers": {"weight_names": np.ones(3)},
    "an array nobody asked for": {"payload": np.ones(1)},
    "many zeros in few bytes": {"losses": np.zeros(1 << 25, np.float32)},
}


def keep(folder, environment="red", about=None, **changes):
    subject = proof.Subject(*QUESTION, environment, "eager")
    known = {"problem": proof.problem_hash(QUESTION[0]), "proof": "0" * 16}
    answer.save(str(folder / subject.file), {**RIGHT, **changes}, known if about is None else about)
    return folder / subject.file


@pytest.mark.parametrize("name", SPOILT)
def test_an_answer_that_is_none_is_refused_and_proves_nothing(name, tmp_path):
    path = keep(tmp_path, **SPOILT[name])
    with pytest.raises(ParityError, match="expected"):
        proof.sound_answer(str(path))
    assert proof.answers(*QUESTION, str(tmp_path)) == {}


@pytest.mark.parametrize("about", [[], {}, "x", {"problem": 1, "proof": []}])
def test_an_answer_about_nothing_is_refused(about, tmp_path):
    path = keep(tmp_path, about=about)
    with pytest.raises(ParityError, match="expected `about`"):
        proof.sound_answer(str(path))


def npy(header):
    text = header.encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


BYTES = {
    "no archive": b"<script>alert(1)</script>",
    "nothing": b"",
    "a cut archive": None,
    "an array of a header alone": npy("{'descr': '<f4', 'fortran_order': False, 'shape': (10000000000000,)}\n"),
    "a header that is code": npy("__import__('os').system('id')\n"),
    "a header of brackets": npy("(" * 5000 + "\n"),
    "objects": npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}\n") + b"cos\nsystem\n(S'id'\ntR.",
}


@pytest.mark.parametrize("name", BYTES)
def test_bytes_that_are_no_answer_are_refused_without_a_traceback(name, tmp_path):
    path = keep(tmp_path)
    if BYTES[name] is None:
        path.write_bytes(path.read_bytes()[:-200])
    elif BYTES[name].startswith(b"\x93"):
        with zipfile.ZipFile(path, "a") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            file.writestr("losses.npy", BYTES[name])
    else:
        path.write_bytes(BYTES[name])
    with pytest.raises(ParityError, match="not a parity answer"):
        proof.sound_answer(str(path))
    assert proof.answers(*QUESTION, str(tmp_path)) == {}


def test_answers_of_other_shapes_and_of_hostile_names_are_compared_as_failures_or_not_at_all(tmp_path):
    keep(tmp_path, "red")
    keep(tmp_path, "blue", outputs=np.ones((2, 5, 10), np.float32))
    keep(tmp_path, "green", weights=np.full((3, 16), np.nan, np.float32))
    keep(tmp_path, "gold", weight_names=np.array(["a", "b", "<img src=x onerror=alert(1)>"]))
    keep(tmp_path, "<script>alert(1)<script>")
    (tmp_path / "linked").symlink_to(tmp_path / "red")
    (tmp_path / "a-file").touch()
    rows = [row for row in proof.matrix(str(tmp_path)) if row.workload == QUESTION[0]]
    assert {row.environment_a for row in rows} == {"red", "blue", "green", "gold"}
    reasons = {(row.environment_a, row.environment_b): row.reason for row in rows if not row.passes}
    assert "other shapes" in reasons["red", "blue"]
    assert "weights differ" in reasons["red", "green"]
    assert "only in the second" in reasons["red", "gold"]


def test_a_formula_for_tex_is_drawn_as_text():
    from matplotlib.figure import Figure

    with style.style():
        figure = Figure()
        figure.subplots().set_title(r"$\frac{1}{$")
    assert r"$\frac{1}{$" in style.svg(figure, r"$\frac{$", "<script>")
