"""Compare programs of the user's own, and find likely causes of a difference.

`verb` is the command. The package `inside` runs in the user's interpreter, and `probes` has a file per cause.
"""
