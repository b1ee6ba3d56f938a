"""Someone who reads a page with a script of the site's own: the explorer, or the page that compares."""

import csv
import io
import time

WHOLE = ".explorer.ready:not(.busy)"  # when all its data are there
NAMED = """
return [...document.querySelectorAll('.explorer :is(input, select, textarea)')].every(
  control => control.labels.length === 1 || control.ariaLabel)
  && [...document.querySelectorAll('.explorer fieldset')].every(group => group.querySelector('legend').textContent);
"""
ROWS = """
return [...document.querySelectorAll('.results tbody tr')].map(row => [...row.children].map(c => c.innerText.trim()));
"""
SELECT = """
const select = document.querySelector('.explorer select');
const wanted = option => option.value === arguments[0] || option.textContent.includes(arguments[0]);
select.value = [...select.options].find(wanted).value;
select.dispatchEvent(new Event('change'));
"""
SETTLED = f"return document.querySelector('{WHOLE}, .explorer.failed') !== null"


class Reader:
    """Reads the page in a tab; what only one page has is in its test's own reader."""

    name = ""  # of the page's folder

    def __init__(self, visitor, address):
        self.visitor, self.address, self.do = visitor, f"{address}{self.name}/", visitor.do

    def open(self, link=""):
        self.visitor.open(self.address + link)
        return self.settled()

    def settled(self):
        """Wait until all data that the page has asked for are there."""
        for _ in range(100):
            if self.do(SETTLED):
                return self
            time.sleep(0.1)
        raise AssertionError("the page did not appear within ten seconds")

    def press(self, title):
        all_buttons = "[...document.querySelectorAll('.explorer button')]"
        self.do(f"{all_buttons}.find(b => b.textContent === arguments[0]).click()", title)
        time.sleep(0.2)

    def push(self, key):
        self.visitor.tab.keyboard.press(key)

    def reach(self, test):
        """Go by the tab key to what passes a test of JavaScript, where `e` has the focus."""
        for _ in range(80):
            self.push("Tab")
            if self.do(f"const e = document.activeElement; return Boolean({test})"):
                return
        raise AssertionError(f"no stop of the tab key is {test}")

    def compare_with(self, what):
        """Choose the base of all ratios, by a part of its title or by its name in links."""
        self.do(SELECT, what)
        self.settled()

    def text(self, selector):
        return self.do("return document.querySelector(arguments[0]).textContent", selector)

    def status(self):
        return self.text(".explorer .shown")

    def said(self):
        return self.text(".explorer .said")

    def rows(self):
        return self.do(ROWS)

    def outline(self):
        return self.do("return getComputedStyle(document.activeElement.parentElement).outlineStyle")

    def check_names(self):
        """Check that every control has a name, and what changes a role."""
        assert self.do(NAMED)
        assert self.do("return document.querySelector('.explorer .shown').role") == "status"
        assert self.text(".results caption").startswith("Ratio: ")
        ids = self.do("return [...document.querySelectorAll('[id]')].map(e => e.id)")
        assert len(ids) == len(set(ids))

    def hash(self):
        return self.do("return location.hash")

    def clipboard(self):
        return self.do("return navigator.clipboard.readText().catch(String)")

    def csv(self):
        """Return the lines that are copied as CSV."""
        self.press("Copy as CSV")
        return list(csv.DictReader(io.StringIO(self.clipboard())))

    def is_plain(self):
        """Say whether the plain tables are there to be read."""
        plain = self.visitor.tab.locator(".static")
        return plain.is_visible() and plain.evaluate("e => e.offsetHeight") > 0

    def asked(self):
        """Return the names of the files that were asked for."""
        return sorted(url.rsplit("/", 1)[1] for url in self.visitor.requests)
