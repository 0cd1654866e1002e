"""How is a message brought to each kind of place?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from foureyes.notify.channels import Channel, Mail, Message, Places
from foureyes.notify.mail import Mailer
from foureyes.notify.outside import Outside


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrying:
    """Brings messages where they belong, by the one way out there is."""

    out: Outside
    mailer: Mailer
    places: Places = Places()

    async def carry(self, channel: Channel, message: Message, now: datetime) -> None:
        """Return when it was taken there; raises NotSent otherwise."""
        if isinstance(channel, Mail):
            await self.mailer.send(channel, message)
            return
        post = channel.post(message, self.places, now)
        await self.out.post(post.url, post.body, post.headers)
