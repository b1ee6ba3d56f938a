"""A campaign: which cases, in which turns and rounds, until when, and what the terminal says of it."""
