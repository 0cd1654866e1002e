"""How does a command become events? One file per party."""
