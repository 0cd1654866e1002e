"""The documents keep their promises."""
