"""The command line: a door that parses, calls the gate, and answers with one line and an exit code."""
