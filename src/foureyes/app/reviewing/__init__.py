"""One round of a review on this machine: who is asked, what they find, and what that comes to."""
