"""The page about notifications is correct."""

from __future__ import annotations

import re

from foureyes.http.gauges import _TOLD
from foureyes.notify.channels import Discord, Hook, Mail, Slack, Telegram
from foureyes.notify.desk import Desk
from tests.notify.post_office import SECRET
from tests.policy.reading import loaded
from tests.shape import ROOT

PAGE = (ROOT / "docs" / "howto" / "get-told.md").read_text(encoding="utf-8")
ENVIRONMENT = {
    "ALERTS": "1/a",
    "BOT": "1:a",
    "SLACK": "T/B/x",
    "TASKS": "2/b",
    "HOOK": SECRET,
    "MAIL": "user:password@mail.example?to=ann@example.com",
}


def test_the_example_is_read_and_every_address_of_it_is_complete() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    found = loaded(example)
    assert not [one for one in found.notes if "key" in one]
    desk = Desk.of(found.notify, ENVIRONMENT)
    kinds = [type(one.channel) for one in desk.targets.values()]
    assert kinds == [Discord, Telegram, Slack, Discord, Hook, Telegram, Mail]


def test_the_figures_it_names_are_those_there_are() -> None:
    named = {one.removeprefix("foureyes_notify_") for one in re.findall(r"foureyes_notify_\w+", PAGE)}
    assert named == {name for name, _, _ in _TOLD}
