"""Conclude from result files: intervals, rankings, lessons, figures and pages. Imports no framework."""
