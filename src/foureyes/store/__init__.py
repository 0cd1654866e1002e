"""Where events are kept, and how they are written down."""
