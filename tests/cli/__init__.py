"""The command line door, the data folder and the settings."""
