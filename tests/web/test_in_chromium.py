"""A person in a real browser signs in and decides without a mouse, on accessible pages.

Chromium comes from the system's packages, as strace does; where it is missing this fails and says so.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.house import played
from tests.cli.running import Running
from tests.cli.test_up import CHECKED, FINDING, HELLO
from tests.web.chromium import Chromium

PHONE, DESK = 320, 1100
#: Text with too little contrast, and its contrast to the background.
FAINT = """(() => {
  const parts = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (one) => one / 255 <= 0.03928 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4;
  const shine = (c) => 0.2126 * light(c[0]) + 0.7152 * light(c[1]) + 0.0722 * light(c[2]);
  const ground = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const found = parts(getComputedStyle(at).backgroundColor);
      if (found.length < 4 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  const faint = [];
  for (const one of document.body.querySelectorAll("*")) {
    const said = [...one.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim()).join("");
    if (!said || !one.checkVisibility()) continue;
    const [a, b] = [shine(parts(getComputedStyle(one).color)), shine(ground(one))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) faint.push(said.slice(0, 40) + " " + contrast.toFixed(2));
  }
  return faint;
})()"""
#: Fields without a label, headings that skip a level, and duplicate ids.
UNCLEAR = """(() => {
  const found = [];
  for (const one of document.querySelectorAll("input:not([type=hidden]), textarea, select"))
    if (!one.labels.length || !one.labels[0].textContent.trim()) found.push("no label: " + one.name);
  const levels = [...document.querySelectorAll("h1, h2, h3, h4")].map((one) => Number(one.tagName[1]));
  levels.forEach((level, at) => { if (level > (levels[at - 1] || 0) + 1) found.push("heading " + at + ": " + level); });
  if (levels.filter((level) => level === 1).length !== 1) found.push("headings of the first level: " + levels);
  if (document.querySelectorAll("main").length !== 1 || !document.documentElement.lang) found.push("no main, no lang");
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  if (new Set(ids).size < ids.length) found.push("ids twice: " + ids);
  const names = [...document.querySelectorAll("summary, button")].map((one) => one.textContent);
  if (names.some((name) => !name.trim())) found.push("something to press has no name");
  return found;
})()"""
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def readable(window: Chromium) -> None:
    """Check that the page is readable on a phone, in dark mode, and by its headings and labels."""
    for dark in (False, True):
        window.screen(width=DESK, dark=dark)
        assert window.value(FAINT) == [], window.text()
    assert window.value(UNCLEAR) == []
    window.screen(width=PHONE)
    assert window.value(WIDER) == 0, "a phone would have to be scrolled sideways"
    window.screen(width=DESK)


@pytest.mark.timeout(180)
def test_a_person_signs_in_and_decides_with_the_keyboard_of_a_real_browser(tmp_path: Path) -> None:
    """From the page that `foureyes up` opened to a ruling in the record; T21, T22 as a browser keeps them."""

    @played
    async def story() -> None:
        with Running(tmp_path / "home") as server, Chromium(tmp_path / "chromium") as window:
            base = server.begun["address"]
            window.open(f"{base}/accounts")
            window.until("You are not signed in.")
            readable(window)
            window.open(server.opened()[-1])
            window.until("You are about to sign in")
            readable(window)
            window.tab_to("Sign in as")
            window.send()
            window.until("Nothing waits for you.")
            assert window.value("document.cookie") == "", "no script could read the session"
            dev, codex = (enrolled_in(window, server, name) for name in ("dev", "codex"))
            opened = await server.ask(dev, "POST", "/reviews", kind="script", title="Say hello", files=HELLO)
            path = f"/reviews/{opened['review']}"
            report = {"revision": 1, "verdict": "concerns", "findings": [FINDING], "evidence": CHECKED}
            await server.ask(codex, "POST", f"{path}/reports", **report)
            words = {"reason": "We cannot agree.", "argument": "It is said <b>so</b>."}
            await server.ask(dev, "POST", f"{path}/escalations", **words)
            window.open(base)
            window.until("a decision")
            readable(window)
            assert server.run("decide", opened["review"]).returncode == 0
            window.open(server.opened()[-1])
            window.until("It is said <b>so</b>.")
            readable(window)
            decided(window)
            for place in (f"{path}/work", f"{path}/record", "/accounts", "/nothing"):
                window.open(f"{base}{place}")
                readable(window)
            digest = (await server.ask(dev, "GET", path))["review"]["digest"]
            assert (await server.ask(dev, "GET", f"/gate/{digest}"))["allowed"]
            complaints = [one for one in window.complaints() if not one.endswith(("/accounts", "/nothing"))]
            assert complaints == [], "the browser misses or forbids something"

    story()


def enrolled_in(window: Chromium, server: Running, name: str) -> str:
    """The token of an agent who was enrolled in the window, on the page that the command line opened."""
    assert server.run("agents", "add", name, "--operator", f"{name}-co").returncode == 0
    window.open(server.opened()[-1])
    readable(window)
    window.tab_to("button submit Enrol")
    window.send()
    window.until("It is shown this once")
    readable(window)
    return str(window.value("document.getElementById('token').innerText"))


def decided(window: Chromium) -> None:
    """Decide by the keyboard, and check that the next page shows the choice and the reason."""
    window.tab_to("input radio Approve as it is")
    window.press(" ")
    window.tab_to("textarea textarea Why")
    window.type("It is fine for a first try.")
    window.tab_to("button submit Decide")
    window.send()
    window.until("Your decision is in the record.")
    assert "cleared" in window.text()
    assert "passed by a human" in window.text(), "it stands out for good"
