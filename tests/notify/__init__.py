"""Notifications: recipients, wording and delivery."""
