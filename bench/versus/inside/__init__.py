"""Runs in the user's interpreter: loads a program, measures it or looks at it; standard library only, Python 3.6."""
