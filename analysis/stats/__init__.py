"""Numbers only: intervals, shared variances, resampling. Knows no files and no frameworks."""

Row = tuple[str, str]  # a competitor: environment, mode
