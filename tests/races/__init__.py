"""Several processes embed the gate on one store and race on the same reviews."""
