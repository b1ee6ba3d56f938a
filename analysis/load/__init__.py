"""Result files: lines, campaigns, the current results, and the one long table of runs."""
