"""The pure core: it decides what may go live, who must act next, and why."""
