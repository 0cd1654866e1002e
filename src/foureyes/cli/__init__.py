"""The command line: a door that parses, calls the gate, and answers with lines and an exit code."""
