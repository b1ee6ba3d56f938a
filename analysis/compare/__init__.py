"""Campaigns, versions and machines beside each other: what shares no rounds."""
