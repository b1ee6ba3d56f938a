"""What drives worker processes: starting and ending them, locks, and the state of the machine meanwhile."""
