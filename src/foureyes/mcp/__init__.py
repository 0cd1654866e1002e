"""The MCP door: authenticate an agent, make the call for the tool it used, and render the answer."""
