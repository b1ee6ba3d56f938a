"""Versions of the site, and the branch that holds them."""
