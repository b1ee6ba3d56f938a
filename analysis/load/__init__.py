"""Result files: lines, campaigns, what stands of them, and the one long table of runs."""
