"""The MCP door: agents ask with the tools they already have; it authenticates, makes the call and renders."""
