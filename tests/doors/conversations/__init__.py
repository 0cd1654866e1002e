"""The five systems as conversations, each played at every door."""
