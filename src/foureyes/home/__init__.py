"""What foureyes keeps on this machine: the data folder, its lock, backups, tokens and remembered decisions."""

from foureyes.home.trouble import Trouble

__all__ = ["Trouble"]
