"""Sends a message to a channel by the transport for its kind."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from foureyes.notify.channels import Channel, Mail, Message, Places
from foureyes.notify.mail import Mailer
from foureyes.notify.outside import Outside


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrying:
    """Sends messages to channels, through the one outgoing connection or the mailer."""

    out: Outside
    mailer: Mailer
    places: Places = Places()

    async def carry(self, channel: Channel, message: Message, now: datetime) -> None:
        """Return when the message was accepted; raises NotSent otherwise."""
        if isinstance(channel, Mail):
            await self.mailer.send(channel, message)
            return
        post = channel.post(message, self.places, now)
        await self.out.post(post.url, post.body, post.headers)
