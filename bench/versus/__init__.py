"""Compare programs of the user's own, and find likely causes of a difference."""
