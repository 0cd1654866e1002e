"""The engine that runs hosted reviewers: starts their runs, renews their leases and ends them."""
