"""What is said of estimates, in sentences, tables of a terminal, and HTML."""
