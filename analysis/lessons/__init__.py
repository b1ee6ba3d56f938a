"""One file per lesson: the docstring's first line is the hypothesis, `judge(results)` returns a Lesson."""
