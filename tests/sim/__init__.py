"""The simulator: seeded principals, an independent checker, planted bugs."""
