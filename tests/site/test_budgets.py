"""Each kind of page keeps to its budget of words, and the site to its budget of figures."""

import re

import pytest
import words

PAGES = {"index.html": 400, "generated/workloads/*/index.html": 900, "generated/frameworks/*/index.html": 900,
         "generated/code/*/index.html": 600}  # fmt: skip
FIGURES, ALT = 120, 60


@pytest.mark.parametrize("pattern", PAGES)
def test_a_page_has_no_more_words_than_its_kind_may_have(site, pattern):
    pages = {
        path: words.read(path).words + sum(map(words.svg_words, _figures(site, path))) for path in site.glob(pattern)
    }
    assert pages
    over = {str(path.relative_to(site)): count for path, count in pages.items() if count > PAGES[pattern]}
    assert over == {}


def _figures(site, path):
    """Return the figures of a page."""
    named = re.findall(r'generated/figures/([\w-]+\.svg)" alt', path.read_text(encoding="utf-8"))
    return [site / "generated" / "figures" / name for name in named]


def test_the_site_has_no_more_figures_than_it_may_have(site):
    assert sum(words.read(path).figures for path in site.rglob("index.html")) <= FIGURES


@pytest.mark.parametrize("pattern", PAGES)
def test_an_alternative_text_is_short(site, pattern):
    assert max(words.read(path).longest_alt for path in site.glob(pattern)) <= ALT


def test_words_are_counted_outside_code_with_alternative_texts(tmp_path):
    page = tmp_path / "page.html"
    page.write_text('<nav>no</nav><article>one <pre>no no</pre> two<img alt="three four"> <b>five</b></article> no')
    assert (words.read(page).words, words.read(page).figures) == (5, 1)
