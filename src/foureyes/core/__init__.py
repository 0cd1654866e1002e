"""The pure core: what may go live, who must act next, and why."""
