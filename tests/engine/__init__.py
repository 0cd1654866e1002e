"""The engine: what starts hosted reviewers, keeps them alive and ends them."""
