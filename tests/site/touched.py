"""What a page does while a reader looks at it and touches all of it: dialogs, foreign requests, refusals."""

import time
from typing import NamedTuple

from driven import Visitor

TOUCH = """
for (const each of document.querySelectorAll('article *')) {
  for (const kind of ['mouseover', 'mouseenter', 'focus', 'pointerdown', 'toggle']) each.dispatchEvent(new Event(kind));
  if (!each.closest('a, button, label, summary, input, select')) each.click();
}
document.querySelectorAll('article details').forEach(each => { each.open = true; });
return document.querySelectorAll('article *').length;
"""
WATCH = """
window.watched = {refused: [], dialogs: []};
addEventListener('securitypolicyviolation', refused => watched.refused.push(refused.blockedURI));
for (const dialog of ['alert', 'confirm', 'prompt', 'print', 'open']) {
  window[dialog] = said => { watched.dialogs.push(`${dialog} ${said}`); };
}
"""


class Touched(NamedTuple):
    """What a page did."""

    dialogs: list[str]
    foreign: list[str]  # requests that leave the site
    refused: list[str]  # by its content security policy
    console: list[str]


NOTHING = Touched([], [], [], [])


def touch(watcher: Visitor, address: str, page: str) -> Touched:
    """Open a page, and touch and click everything that is not a link or a control."""
    watcher.open(address + page)
    time.sleep(0.5)
    assert watcher.do(TOUCH) >= 3
    time.sleep(0.5)
    watched = watcher.do("return watched")
    assert watcher.tab.url.startswith(address + page)
    assert watcher.requests
    foreign = [url for url in watcher.requests if not url.startswith(address)]
    return Touched([*watched["dialogs"], *watcher.dialogs], foreign, watched["refused"], [*watcher.console])
