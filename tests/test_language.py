"""Text for readers has no forbidden word and no long sentence, wherever a page or a source holds it."""

import subprocess
import sys
from pathlib import Path

import pytest

from tasks import language

ROOT = Path(__file__).resolve().parent.parent
FIGURE = next(name for name in language.checked() if "/figures/" in name)
LONG = "This sentence " + "goes on and " * 9 + "ends here"  # 31 words


@pytest.fixture
def site(tmp_path):
    """Write a page that holds some HTML, and return what is wrong with the site."""

    def check(html, name="lessons/index.html"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<!doctype html><title>Lessons</title><body>{html}", encoding="utf-8")
        return language.of_pages(tmp_path)

    return check


@pytest.fixture
def source(tmp_path):
    """Write a Markdown file, and return what is wrong with it."""

    def check(text):
        path = tmp_path / "page.md"
        path.write_text(text, encoding="utf-8")
        return language.of_source(path, "page.md")

    return check


def words(text):
    return [fault.word for fault in language.faults([language.Passage("p", text)])]


def test_a_forbidden_word_planted_in_the_readme_is_reported_with_its_line_and_fails(tmp_path):
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    planted = tmp_path / "README.md"
    planted.write_text("\n".join([*lines, "", "The newest result stands."]), encoding="utf-8")
    command = [sys.executable, "-m", "tasks.language", str(planted)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"{planted}:{len(lines) + 2}: " in done.stderr
    assert 'instead of "stands": The newest result stands.' in done.stderr
    assert "Plain English: 1 faults." in done.stderr


@pytest.mark.parametrize(
    ("name", "planted"),
    [
        ("README.md", "The newest result stands."),
        ("docs/lessons.md", "The newest result stands."),
        ("analysis/site/templates/lessons.html", "<caption>{{ what }} stands</caption>"),
        ("analysis/site/pages/article.py", 'CAPTION = f"What {1} stands"\n'),
        (FIGURE, '"""Memory\n\nThe newest result stands.\n"""\n\n\ndef wanted(found): ...\n'),
        ("bench/driver/lock.py", 'raise DefinitionError("%s: the key stands twice." % path)\n'),
        ("bench/results/records.py", '"""Return what stands."""\n'),
        ("bench/feeding/brought.py", "# the result stands\n"),
        ("noxfile.py", 'parser.add_argument("--all", help="all that stands")\n'),
    ],
)
def test_a_forbidden_word_in_a_page_a_docstring_a_comment_or_a_message_fails_the_lint(
    name, planted, tmp_path, monkeypatch, capsys
):
    assert (
        '"python", "-m", "tasks.language")'
        in (ROOT / "noxfile.py").read_text(encoding="utf-8").partition("def docs")[0]
    )
    assert name in language.checked()
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(planted, encoding="utf-8")
    monkeypatch.setattr(language, "ROOT", tmp_path)
    assert language.main([]) == 1
    assert f"{name}:" in (message := capsys.readouterr().err)
    assert 'instead of "stands"' in message
    path.write_text(planted.replace("stands", "counts"), encoding="utf-8")
    assert language.main([]) == 0


def test_docstrings_comments_and_strings_of_code_are_read_and_names_are_not():
    source = (
        '"""What a module holds.\n\n- `stands` is a name"""\n\n\n'
        'def told(stands):  # noqa: what a tool reads\n    """Stands."""\n'
        "    # a remark\n    return f\"{stands('what stands')} of <b>time</b>\"\n"
        'HELP = """a  what a does\n  bb  what b does\n"""\nCODE = "import told, stands"\n'
    )
    texts = ["What a module holds.", "- `` is a name", "a  what a does", "  bb  what b does\n", "Stands.",
             "`` of  time ", "what stands", "a remark"]  # fmt: skip
    assert [text for _, text in language.texts(source)] == texts
    assert [text for _, text in language.texts(source, with_strings=False)] == [*texts[:2], "Stands.", "a remark"]


@pytest.mark.parametrize(
    ("html", "holder"),
    [
        ("<p>The newest result <b>stands</b>.</p>", "p"),
        ("<p><code>nox</code> stands</p>", "p"),
        ("<h2>What stands</h2>", "h2"),
        ("<ul><li>What stands<ul><li>more</li></ul></li></ul>", "li"),
        ("<table><caption>What stands</caption></table>", "caption"),
        ("<table><tr><th>What stands</th></tr></table>", "th"),
        ("<table><tr><td>1</td><td>What stands</td></tr></table>", "td"),
        ("<figure><img src='a.svg' alt=''><figcaption>What stands</figcaption></figure>", "figcaption"),
        ("<details><summary>What stands</summary></details>", "summary"),
        ("<img src='a.svg' alt='What stands'>", "alt"),
        ("<p title='What stands'>text</p>", "title"),
        ("<div role='region' aria-label='What stands'></div>", "aria-label"),
        ("<svg><text>What <tspan>stands</tspan></text></svg>", "text"),
        ("<svg><title>What stands</title></svg>", "title"),
        ("<meta name='description' content='What stands'>", "description"),
        ("<p>first<!-- a comment --> what stands</p>", "p"),
        ("<div>before<p>x</p>what stands</div>", "div"),
    ],
)
def test_a_forbidden_word_planted_in_a_page_is_reported_with_its_place(site, html, holder):
    (message,) = site(html)
    assert f"lessons/index.html ({holder}): " in message
    assert 'instead of "stands"' in message


def test_a_page_with_a_forbidden_caption_fails_and_one_without_passes(site, tmp_path, capsys):
    site("<figcaption>Time per step, told apart by colour</figcaption>")
    assert language.main(["--pages", str(tmp_path)]) == 1
    assert "told apart" in capsys.readouterr().err
    site("<figcaption>Time per step, one colour per framework</figcaption>")
    assert language.main(["--pages", str(tmp_path)]) == 0


def test_text_of_a_figure_is_read(tmp_path):
    text = '<svg xmlns="http://www.w3.org/2000/svg"><desc>What stands</desc><text>ms</text></svg>'
    (tmp_path / "a.svg").write_text(f'<?xml version="1.0" encoding="utf-8"?>\n{text}', encoding="utf-8")
    assert len(language.of_pages(tmp_path)) == 1


def test_text_that_many_pages_repeat_is_reported_once(site):
    site("<p>What stands</p>", "one/index.html")
    assert len(site("<p>What stands</p>", "two/index.html")) == 1


@pytest.mark.parametrize(
    "html",
    [
        "<pre><code>what stands</code></pre>",
        "<p>the option <code>stands</code></p>",
        "<blockquote><p>What stands</p></blockquote>",
        "<p>The author says <q>it is no contest</q>.</p>",
        "<td translate='no' title='stands'>stands <b>told</b></td>",
        "<script>told()</script><style>.told {}</style>",
    ],
)
def test_code_quotations_and_names_are_exempt(site, html):
    assert site(html) == []


def test_text_after_a_quotation_is_read(site):
    assert len(site("<blockquote>told</blockquote><p>x <q>told</q> and told</p><pre>told</pre>told")) == 2


@pytest.mark.parametrize(
    "text",
    [
        "The cache is no longer used, and the time is no more than 2 s.",
        "VRAM stands for video memory; a stand-in data set; a standard deviation; we understand.",
        "The worker process hangs. A layout that is laid out in rows. Delay, player, Monday.",
        "ReLU after max-pooling instead of before it.",
        "The outlier stands out, the recommendation and amendment remain.",
    ],
)
def test_plain_english_that_looks_like_a_forbidden_word_is_allowed(text):
    assert words(text) == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("A gap is no zero", "is no"), ("These are no GPUs", "are no"), ("There are no GPUs", None),
            ("Mend it", "Mend"),
        ("They hang least on it", "hang least on"),
        ("cannot tell them apart", "tell them apart"), ("not told apart", "told apart"), ("as is told there", "told"),
        ("Besides", "Besides"), ("those of before", "of before"), ("the GPUs of then", "of then"),
        ("all that may be", None),
        ("those who may be", "who may be"), ("whoever", "whoever"), ("what is asked", "what is asked"),
        ("gave away", "gave away"),
        ("a dear call", "dear"), ("files lay there", "lay"), ("say beforehand", "beforehand"),
        ("it stood there", "stood"),
    ],
)  # fmt: skip
def test_each_forbidden_word_is_found_in_its_forms(text, word):
    assert (words(text)[:1] or [None])[0] == word


def test_a_long_sentence_is_reported_and_two_short_ones_are_not():
    assert len(words(f"{LONG}.")) == 1
    assert words("This sentence has few words. " * 12) == []


def test_code_counts_as_a_word_and_an_abbreviation_ends_no_sentence(site):
    (message,) = site(f"<p>{'<code>a b</code> ' * 26}</p>")
    assert "26 words, at most 25" in message
    assert list(language.sentences("Use a GPU, e.g. An H100. Then stop (Adams et al. 2017). 5 rounds.")) == [
        "Use a GPU, e.g. An H100.", "Then stop (Adams et al. 2017).", "5 rounds."]  # fmt: skip


def test_a_source_names_the_line_of_the_word(source):
    text = (
        "---\ntitle: x\n---\n\n# Title\n\nIt stands `stands`\nand what is told.\n\n"
        "| a | b |\n|---|---|\n| c | is no d |\n"
    )
    assert {message.partition(": ")[0] for message in source(text)} == {"page.md:7", "page.md:8", "page.md:12"}


def test_included_and_fenced_text_of_a_source_is_left_to_the_pages(source):
    assert source('--8<-- "docs/generated/fragments/told.md"\n\n```\ntold\n```\n\n> told\n') == []


def test_a_missing_file_or_site_is_an_error_of_its_own(tmp_path, capsys):
    for words in ([str(tmp_path / "none.md")], ["--pages", str(tmp_path)]):
        with pytest.raises(SystemExit, match="2"):
            language.main(words)
    assert "build the site with `nox -s docs`" in capsys.readouterr().err
