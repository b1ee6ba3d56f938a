"""Articles, and results for their pages."""

import campaign
import shown


def found(folder, cases, times, change=lambda _: None):
    lines = campaign.lines(cases, times)
    for line in lines:
        change(line)
    return shown.found(folder, lines)


CASES = [campaign.case(name) for name in ("red", "blue")]
