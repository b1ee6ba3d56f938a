"""A lesson is one line of the Lessons page: verdict, claim, effect with interval and what to do, without evidence."""

import re

import campaign
import shown
from claims import CASES, RED_OVER_BLUE, claim, judged, results
from shown import text_of as text

from analysis.lessons import verdicts
from analysis.site.pages import article

TIMES = {"red": 0.02, "blue": 0.01, "green": 0.04}
ALL = claim(
    "environment=red|green / environment=blue", id="slower", topic="Compilers", if_so="Stay.", claim="<i>Slower</i>"
)


def found(folder, *claims):
    made = results(folder, campaign.noisy(TIMES, noise=0.002), CASES, rounds=8)
    return shown.found(folder)._replace(lessons=[judged(made, each) for each in claims])


def rows(html):
    return [text(row) for row in re.findall(r"<tr><th scope=\"row\"><a.*?</tr>", html, re.DOTALL)]


def test_a_lesson_is_one_line_with_verdict_effect_interval_and_action(tmp_path):
    (row,) = rows(article.lessons_page(found(tmp_path, ALL)))
    number = r"\d\.\d\d"
    assert re.fullmatch(
        rf"<i>Slower</i>\s+✓ true\s+2 of 2\s+median {number} \({number} to {number}\), all {number} to {number}\s+"
        rf"CPU fp32\s+Stay\.\s*", row)  # fmt: skip


def test_one_comparison_has_its_ratio_and_one_that_was_not_measured_has_its_reason(tmp_path):
    one = RED_OVER_BLUE._replace(id="one", topic="Compilers")
    lacking = claim("", id="none", topic="Compilers", needs="four GPUs")
    first, last = rows(article.lessons_page(found(tmp_path, lacking, one)))
    assert re.search(r"1 of 1\s+2\.00 \(1\.\d\d to 2\.\d\d\)", first)
    assert "not measured" in last
    assert "Needs four GPUs." in last


def test_each_lesson_has_an_anchor_and_a_link_to_its_evidence_below_the_question_it_answers(tmp_path):
    html = article.lessons_page(found(tmp_path, ALL, RED_OVER_BLUE._replace(id="one", topic="Recurrent networks")))
    assert '<a id="slower" href="../generated/data/lessons.json#slower">' in html
    assert html.index("## Compilers") < html.index('id="slower"')
    assert html.index("## Recurrent networks") < html.index('id="one"')
    assert "<i>" not in html


def test_the_page_prints_the_table_that_decides(tmp_path):
    printed = text(article.lessons_page(found(tmp_path, ALL)))
    for words in [rule.words for rule in verdicts.RULES] + [words for _, words in verdicts.COMPARISONS]:
        assert words in printed


def test_counts_begin_with_those_that_give_the_verdict():
    assert verdicts.tally(verdicts.Counts(13, 0, 0, 1), "partly true") == "13 of 14; 1 inconclusive"
    assert verdicts.tally(verdicts.Counts(2, 9, 1, 0), "mostly false") == "9 of 12; 2 true; 1 no effect beyond 5 %"
    assert verdicts.tally(verdicts.Counts(1, 12, 0, 3), "not tested on a GPU") == "12 false; 3 inconclusive; 1 true"
