"""Someone who reads Results or Compare: the page with filters, chips and one table."""

import time

READY = "return document.querySelector('.explorer.ready, .explorer.failed') !== null"
ROWS = """
return [...document.querySelectorAll('.tabulator-row')].map(row => Object.fromEntries(
  [...row.querySelectorAll('.tabulator-cell')].map(c => [c.getAttribute('tabulator-field'), c.innerText.trim()])));
"""
CHOOSE = """
const select = [...document.querySelectorAll('.explorer label')].find(
  label => label.firstChild.textContent.trim() === arguments[0]).querySelector('select');
select.value = [...select.options].find(option => option.textContent.startsWith(arguments[1])).value;
select.dispatchEvent(new Event('change'));
"""
PRESS = """
[...document.querySelectorAll('.explorer button')].find(
  b => (b.ariaLabel ?? b.textContent).startsWith(arguments[0])).click();
"""
EDGE = """
return Math.max(...[...document.querySelectorAll('.tabulator-cell')].map(c => c.getBoundingClientRect().right));
"""
NAMED = """
return [...document.querySelectorAll('.explorer select')].every(control => control.labels.length === 1)
  && [...document.querySelectorAll('.explorer button')].every(each => (each.ariaLabel ?? each.textContent).trim());
"""


class Reader:
    """Reads the page in a tab."""

    def __init__(self, visitor, address, name):
        self.visitor, self.address, self.do = visitor, f"{address}{name}/", visitor.do

    def open(self, link=""):
        """Open the page anew, with what the address asks for."""
        self.visitor.open("about:blank")
        self.visitor.open(self.address + link)
        return self.settled()

    def settled(self):
        """Wait until the table is there."""
        for _ in range(100):
            if self.do(READY):
                time.sleep(0.15)
                return self
            time.sleep(0.1)
        raise AssertionError("the page did not appear within ten seconds")

    def choose(self, facet, title):
        """Choose a value in the filter of a facet."""
        self.do(CHOOSE, facet, title)
        time.sleep(0.15)

    def press(self, words):
        """Push the button whose name begins so."""
        self.do(PRESS, words)
        time.sleep(0.15)

    def push(self, key):
        """Push a key."""
        self.visitor.tab.keyboard.press(key)
        time.sleep(0.15)

    def reach(self, test):
        """Go by the tab key to what passes a test of JavaScript, where `e` has the focus."""
        for _ in range(80):
            self.visitor.tab.keyboard.press("Tab")
            if self.do(f"const e = document.activeElement; return Boolean({test})"):
                return
        raise AssertionError(f"no stop of the tab key is {test}")

    def sort(self, title):
        """Push the heading of a column."""
        self.do("[...document.querySelectorAll('.tabulator-col button')].find("
                "b => b.textContent === arguments[0]).click()", title)  # fmt: skip
        time.sleep(0.15)

    def text(self, selector):
        """Return the text of an element."""
        return self.do("return document.querySelector(arguments[0]).textContent", selector)

    def status(self):
        """Return how many rows are shown."""
        return self.text(".explorer .shown")

    def rows(self):
        """Return the rows by field, each value with its small print below."""
        return self.do(ROWS)

    def column(self, field):
        """Return the first line of a column."""
        return [row[field].split("\n")[0] for row in self.rows()]

    def chips(self):
        """Return the filters above the table."""
        return self.do("return [...document.querySelectorAll('.chosen button')].map(b => b.textContent)")

    def edge(self):
        """Return where the cell ends that reaches farthest to the right, in pixels."""
        return self.do(EDGE)

    def hash(self):
        """Return the state in the address."""
        return self.do("return location.hash")

    def is_plain(self):
        """Say whether the plain table is there to be read."""
        plain = self.visitor.tab.locator(".static")
        return plain.is_visible() and plain.evaluate("e => e.offsetHeight") > 0

    def asked(self):
        """Return the names of the files that were asked for."""
        return sorted(url.rsplit("/", 1)[1] for url in self.visitor.requests if "about:" not in url)

    def has_names(self):
        """Say whether every control has a name."""
        return self.do(NAMED) and self.do("return document.querySelector('.shown').role") == "status"
