"""The same products as imdb_gru: which of two comes first changes no count."""

from bench.costs.imdb_gru import FIRST, POSITIONS  # noqa: F401 - the same network
