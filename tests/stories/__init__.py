"""The whole stories of the five seeds, played on servers that run, by a clock that tests can move."""
