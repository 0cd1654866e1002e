"""How is somebody outside told what happened? From the outbox, at least once, and never in anybody's way."""
