"""The command line: options and their help, and the verbs that only people use."""
