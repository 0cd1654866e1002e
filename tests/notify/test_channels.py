"""An address in a policy becomes a channel, or is refused without being shown."""

from __future__ import annotations

import base64
import json

import pytest

from foureyes.notify.channels import (
    BadAddress,
    Discord,
    Mail,
    Message,
    Places,
    Slack,
    Telegram,
    channel_of,
    hook_of,
    signature,
)
from foureyes.notify.desk import Desk
from foureyes.policy.notifying import Notify, Person, Webhook
from tests.cast import START
from tests.notify.post_office import SECRET

ENVIRONMENT = {"ALERTS": "111/secret-token", "BOT": "123:secret", "EMPTY": "", "BAD": "a b"}


def test_addresses_are_filled_from_the_environment() -> None:
    assert channel_of("discord://${ALERTS}?thread=9", ENVIRONMENT) == Discord(
        id="111", token="secret-token", thread="9"
    )
    assert channel_of("tgram://${BOT}/-100", ENVIRONMENT) == Telegram(token="123:secret", chat="-100")
    assert channel_of("slack://T1/B2/x_y", {}) == Slack(path="T1/B2/x_y")
    assert channel_of("mailtos://u:p@mail.example?to=a@b.c", {}) == Mail(url="mailtos://u:p@mail.example?to=a@b.c")


@pytest.mark.parametrize(
    "address",
    [
        "discord://${MISSING}/x",
        "discord://${EMPTY}/x",
        "discord://1/${BAD}",
        "discord://${ALERTS}/more",
        "discord://secret-token",
        "discord://../../secret-token",
        "discord://1/secret-token?thread=a",
        "discord://1/secret-token?ping=@everyone",
        "tgram://secret-token/1",
        "tgram://${BOT}/a/b",
        "tgram://${BOT}/../getUpdates",
        "slack://a/b",
        "slack://T/B/..%2f",
        "json://secret-token",
        "mailto://",
    ],
)
def test_what_leads_nowhere_is_refused_and_not_shown(address: str) -> None:
    with pytest.raises(BadAddress) as caught:
        channel_of(address, ENVIRONMENT)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "secret", ["", "plain", "whsec_", "whsec_c2hvcnQ=", "whsec_$$$", f"whsec_{base64.b64encode(b'x' * 65).decode()}"]
)
def test_a_weak_or_broken_secret_is_refused_and_not_shown(secret: str) -> None:
    with pytest.raises(BadAddress) as caught:
        hook_of("https://hooks.example/", "${S}", {"S": secret})
    assert str(caught.value) in (
        "the secret of a webhook must be whsec_ and 24-64 bytes in base64",
        "S is not set in the environment, or holds what no address can",
    )


def test_what_is_signed_is_what_the_standard_says() -> None:
    """The example of the specification of Standard Webhooks."""
    raw = base64.b64decode(SECRET.removeprefix("whsec_"))
    body = b'{"test": 2432232314}'
    assert signature(raw, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", body) == (
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    )


def test_a_program_gets_a_signed_cloudevent_with_the_id_of_the_letter() -> None:
    hook = hook_of("https://hooks.example/x", "${S}", {"S": SECRET})
    post = hook.post(Message(id="msg_1", title="", text="", data={"specversion": "1.0"}), Places(), START)
    assert json.loads(post.body) == {"specversion": "1.0", "id": "msg_1"}
    at = str(int(START.timestamp()))
    assert post.headers == {
        "content-type": "application/cloudevents+json",
        "webhook-id": "msg_1",
        "webhook-timestamp": at,
        "webhook-signature": signature(hook.secret, "msg_1", at, post.body),
    }


def test_nothing_of_a_key_is_in_a_name_or_in_what_is_logged() -> None:
    notify = Notify(
        human=("discord://${ALERTS}",),
        webhooks=(Webhook(url="https://hooks.example/x", secret="${S}"),),
        people=(Person(name="ann", to=("tgram://${BOT}/1",)),),
    )
    desk = Desk.of(notify, {**ENVIRONMENT, "S": SECRET})
    assert len(desk.targets) == 3
    assert "secret" not in repr(desk).lower().replace("secret=", "")
    again = Desk.of(notify, {"ALERTS": "222/other", "BOT": "9:other", "S": SECRET})
    assert desk.targets.keys() == again.targets.keys()
