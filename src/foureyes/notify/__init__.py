"""Notifications to chats, mail and webhooks: from the outbox, at least once, without holding up any decision."""
