"""The critic of commands finds what destroys, escalates, leaks or runs foreign code, and leaves the rest alone."""
