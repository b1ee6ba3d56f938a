"""What the noxfile calls: how environments are made, which tests must run again, and which run at night."""
