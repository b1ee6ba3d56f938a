"""Is this machine as fast as published? Bands, verdicts, and hints at what may slow it down."""
