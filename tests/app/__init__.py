"""The gate keeps what it promises, whatever it stands on."""
