"""What does foureyes keep on this machine, and who is at work there?"""

from foureyes.home.trouble import Trouble

__all__ = ["Trouble"]
