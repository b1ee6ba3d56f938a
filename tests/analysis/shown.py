"""Synthetic results as the site's pages find them, and what a reader sees of a page."""

import html
import re

import campaign

from analysis.compare import unpaired
from analysis.found import Found
from analysis.site import build

PAYLOAD = "<script>alert(1)</script> [x](javascript:alert(1)) *a*{ onclick=alert(1) }"


def found(folder, *campaigns, matrix=()):
    """Write campaigns to a folder of results; return what the pages are made of, of all that lies in it."""
    for each in campaigns:
        campaign.write(folder, each)
    results = build.read_results(folder)
    answers = build.estimate_all(results)
    return Found(results, answers, build.defaults(answers), [], matrix, compared=unpaired.compare_all(results, answers))


def changed(lines, kind, **fields):
    """Return a campaign's lines with some fields of one kind of line changed."""
    return [{**line, **fields} if line["kind"] == kind else line for line in lines]


def text_of(page):
    """Return what a reader sees: references to characters resolved, elements dropped, spaces as one."""
    return " ".join(html.unescape(re.sub("<[^>]+>", " ", page)).split())


def alive(page):
    """Return what of the payload a browser would run."""
    return [each for each in ("<script", "javascript:", "onclick=") if each in page]
