"""The same question as lstm_forecast."""

from bench.costs.lstm_forecast import FIRST, POSITIONS  # noqa: F401 - the same network
