"""One file per control: the docstring says what must hold, `judge(lines)` returns an analysis.control.Control.

Three paragraphs of the docstring are the title, when it passes, and how it is measured. ORDER is its place, MEASURED
names the file of bench/controls whose lines it judges. ABOUT names the words that each of its lines must have, SERIES
the numbers that each measured one must have, equally many; both may be left out.
"""
