"""Open a page in a browser without showing a secret in its address to others at the terminal.

The browser runs in a child whose output is discarded: some print what they are given. Text browsers would draw the page
into the terminal, so where there is no screen nothing is opened unless the person named a browser in $BROWSER. A secret
is not put on a command line, where every user of the machine could read it, but into a file that only its owner can
read and that leads there.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from html import escape
from pathlib import Path

from foureyes.home import files

PAGE = "sign-in.html"
#: The page for one decision that a command waits for; another file, so that neither overwrites the other.
DECISION = "decide.html"
SECONDS_MAX = 5
_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
_CHILD = "import sys, webbrowser; sys.exit(0 if webbrowser.open(sys.stdin.read()) else 1)"


def has_screen(environment: Mapping[str, str], platform: str = sys.platform) -> bool:
    """True if a page can be shown outside this terminal."""
    return platform == "darwin" or any(environment.get(name) for name in _SCREENS)


def open_page(address: str) -> bool:
    """Open an address that is no secret; True if a browser took it."""
    if not has_screen(os.environ):
        return False
    try:
        done = subprocess.run(  # noqa: S603 - our own Python, and the address goes in by stdin
            [sys.executable, "-c", _CHILD],
            input=address,
            text=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
            timeout=SECONDS_MAX,
        )
    except subprocess.TimeoutExpired:
        return True  # some browsers run until their window is closed
    return done.returncode == 0


def leading(secret_address: str, path: Path) -> None:
    """Write a page, readable by its owner only, that leads to a secret address."""
    to = escape(secret_address)
    text = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
        f'<meta http-equiv="refresh" content="0; url={to}"><title>Sign in</title></head>'
        f'<body><a href="{to}">Sign in to foureyes</a></body></html>\n'
    )
    files.write_whole(str(path), text.encode())
