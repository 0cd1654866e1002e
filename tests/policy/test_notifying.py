"""The notification section is parsed strictly: errors name their line and never show a possible key."""

from __future__ import annotations

from datetime import time

import pytest

from foureyes.policy.notifying import Person, Webhook
from tests.policy.reading import loaded, minimal, refused

WHOLE = """\
notify:
  human: ["discord://${ALERTS}", "tgram://${BOT}/-100"]
  author: slack://${SLACK}
  thread: ["discord://${ALERTS}?thread={task}"]
  webhooks: [{url: "https://hooks.example/x", secret: "${HOOK}"}]
  people:
    ann: {to: ["mailto://ann@example.com"], quiet: "22:00-07:00", digest: "07:30", zone: Europe/Berlin}
    bob: {to: "tgram://${BOT}/7"}
"""


def test_every_key_arrives() -> None:
    found = loaded(minimal(WHOLE)).notify
    assert found.human == ("discord://${ALERTS}", "tgram://${BOT}/-100")
    assert (found.author, found.reviewer) == (("slack://${SLACK}",), ())
    assert found.thread == ("discord://${ALERTS}?thread={task}",)
    assert found.webhooks == (Webhook(url="https://hooks.example/x", secret="${HOOK}"),)
    assert found.people == (
        Person(
            name="ann",
            to=("mailto://ann@example.com",),
            quiet=(time(22), time(7)),
            digest=time(7, 30),
            zone="Europe/Berlin",
        ),
        Person(name="bob", to=("tgram://${BOT}/7",), quiet=None, digest=time(9), zone="UTC"),
    )


def test_what_may_hold_a_key_is_shown_nowhere() -> None:
    text = minimal('notify: {human: "discord://id/key", people: {ann: {to: "tgram://key/1"}}}\n')
    found = loaded(text)
    assert "key" not in repr(found.notify)
    assert "key" not in repr(found.notify.people)
    assert [one for one in found.notes if "discord" in one or "tgram" in one] == []
    better = "holds its key in the file: better write ${NAME} there, and set NAME in the environment of the server."
    assert [one for one in found.notes if "key" in one] == [f"Address 1 of {who} {better}" for who in ("human", "ann")]


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("notify:\n  human: [https://x.example]\n", 3, "address 1 of human begins with a scheme that is not known"),
        ("notify:\n  human:\n    - discord://${A}\n    - discord://${\n", 5, "address 2 of human has a ${"),
        (f"notify:\n  human: [{', '.join('discord://x' for _ in range(21))}]\n", 3, "human has 21 addresses"),
        ("notify:\n  webhooks: [https://hooks.example/key]\n", 3, "webhook 1 is no webhook"),
        ("notify:\n  webhooks:\n    - url: ftp://key\n      secret: ${A}\n", 4, "the url of webhook 1 is no web"),
        ("notify:\n  webhooks:\n    - url: https://x\n      secret: key\n", 5, "must come from the environment"),
        ("notify:\n  webhooks:\n    - url: https://x\n      secret: ${A}${B}\n", 5, "must come from the environment"),
        ("notify:\n  webhooks: [{url: https://x, secret: '${A}', key: 1}]\n", 3, "unknown key"),
        ("notify:\n  people: [ann]\n", 3, "people is a list"),
        ("notify:\n  people:\n    ann: {}\n", 4, "nothing says where ann is told"),
        ("notify:\n  people:\n    ann: {to: discord://x}\n    Ann: {to: discord://x}\n", 5, "'Ann' is no name"),
        ("notify:\n  people:\n    ann: {to: discord://x, quiet: 22-7}\n", 4, "quiet must be two times of day"),
        ("notify:\n  people:\n    ann: {to: discord://x, quiet: '07:00-07:00'}\n", 4, "quiet must be two times"),
        ("notify:\n  people:\n    ann: {to: discord://x, digest: '24:00'}\n", 4, "digest must be a time of day"),
        ("notify:\n  people:\n    ann: {to: discord://x, zone: Mars/Base}\n", 4, "zone is no time zone"),
        ("notify:\n  people:\n    ann: {to: discord://x, zone: ../../etc/passwd}\n", 4, "zone is no time zone"),
        (
            "notify:\n  people:\n    ann: {to: discord://x, quiet: '22:00-07:00', digest: '23:00'}\n",
            4,
            "the digest of ann lies in the quiet hours",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_without_a_key(text: str, line: int, says: str) -> None:
    found = refused(minimal(text))
    assert [one.line for one in found if says in one.wrong] == [line], found
    assert not [one for one in found if "key" in one.wrong.replace("unknown key", "") and "'key'" not in one.wrong]
