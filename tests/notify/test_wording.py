"""Notifications mention no accounts of the chat, hide no text, and are bounded."""

from __future__ import annotations

import pytest

from foureyes.notify.channels import DISCORD_UNITS_MAX, TELEGRAM_UNITS_MAX, Discord, Message, Places, Slack, Telegram
from foureyes.notify.wording import BREAK, cut, line, safe, units
from tests.cast import START


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("@everyone", f"@{BREAK}everyone"),
        ("@here, @ann", f"@{BREAK}here, @{BREAK}ann"),
        ("<@123> <@!4> <@&5> <#6>", f"<{BREAK}@{BREAK}123> <{BREAK}@!4> <{BREAK}@&5> <{BREAK}#6>"),
        ("<!channel> <!subteam^S1>", f"<{BREAK}!channel> <{BREAK}!subteam^S1>"),
        ("<https://evil.example|ours>", f"<{BREAK}https:{BREAK}//evil.example|ours>"),
        ("[ours](https://evil.example)", f"[ours]{BREAK}(https:{BREAK}//evil.example)"),
        ("</script>", f"<{BREAK}/script>"),
        ("```", f"`{BREAK}``"),
        ("||hidden||", f"|{BREAK}|hidden|{BREAK}|"),
        ("a\x1b]52;c;x\x07b\x9b31m", "a]52;c;xb31m"),
        ("a\u202eb\u2066c\u200bd\ufeff", "abcd"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("@\u200beveryone", f"@{BREAK}everyone"),
        ("2 < 3, a@ b, x | y, `code`, 5 * 4, ü é 😀", "2 < 3, a@ b, x | y, `code`, 5 * 4, ü é 😀"),
        (":octagonal_sign: gaal (veto)", ":octagonal_sign: gaal (veto)"),
    ],
)
def test_no_text_calls_anybody_or_hides_anything(text: str, wanted: str) -> None:
    assert safe(text) == wanted
    assert safe(safe(text)) == wanted


def test_what_stands_on_one_line_stays_there() -> None:
    assert line("a\n\n  b\tc") == "a b c"
    assert line("x" * 500, 10) == "x" * 9 + "…"


@pytest.mark.parametrize("character", ["x", "ü", "😀"])
def test_a_text_is_cut_as_chats_count_it(character: str) -> None:
    text = character * 3000
    found = cut(text, DISCORD_UNITS_MAX)
    assert DISCORD_UNITS_MAX - 2 <= units(found) <= DISCORD_UNITS_MAX
    assert found.endswith("…")
    assert cut("short", 5) == "short"


def test_the_address_behind_a_long_text_is_never_cut() -> None:
    message = Message(id="m", title="t", text="@\u200b" * 9000, url="https://gate.example/reviews/r1")
    for most in (DISCORD_UNITS_MAX, TELEGRAM_UNITS_MAX):
        assert units(message.fitting(most)) <= most
        assert message.fitting(most).endswith("…\nhttps://gate.example/reviews/r1")


def test_slack_reads_no_markup_in_it() -> None:
    post = Slack(path="T/B/x").post(Message(id="m", title="t", text="<!channel> & <a|b>"), Places(), START)
    assert post.url == "https://hooks.slack.com/services/T/B/x"
    assert post.body == (
        b'{"text":"&lt;!channel&gt; &amp; &lt;a|b&gt;","mrkdwn":false,"unfurl_links":false,"unfurl_media":false}'
    )


def test_the_services_are_where_they_are() -> None:
    message = Message(id="m", title="t", text="x", thread="77")
    assert Discord(id="1", token="k").post(message, Places(), START).url == "https://discord.com/api/webhooks/1/k"
    thread = Discord(id="1", token="k", thread="{task}").post(message, Places(), START).url
    assert thread == "https://discord.com/api/webhooks/1/k?thread_id=77"
    sent = Telegram(token="1:k", chat="@team_chat").post(message, Places(), START)
    assert sent.url == "https://api.telegram.org/bot1:k/sendMessage"
    assert b"parse_mode" not in sent.body
