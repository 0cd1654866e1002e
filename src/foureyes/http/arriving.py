"""When did a request come? Noted as soon as it is read, which may be long before anybody has time for it."""

from __future__ import annotations

import time
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from foureyes.app.turns import CAME


class Arriving(HttpToolsProtocol):
    """A connection that notes it."""

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        cast("dict[str, Any]", self.scope)[CAME] = time.perf_counter()
