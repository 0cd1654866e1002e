"""The HTTP door: parse and authenticate a request, make the call and render its answer."""
